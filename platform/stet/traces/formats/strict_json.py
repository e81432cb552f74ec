"""Strict JSON: what a database, a tokenizer or a browser would choke on is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from django.utils.translation import gettext as _

from .base import BadRow

MAX_DEPTH = 100


def parse(data: bytes) -> Any:
    """The value of one JSON text; raises BadRow with a reason that a person can act on."""
    if b"\x00" in data:
        raise BadRow(_("a NUL byte: the file is damaged or not text"))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRow(_("not UTF-8 at byte %(at)d") % {"at": error.start}) from error
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise BadRow(_why(text, error)) from error
    except RecursionError as error:
        raise BadRow(_too_deep()) from error
    except ValueError as error:
        raise BadRow(_("a number with too many digits")) from error
    _check(value)
    return value


def _why(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return _("empty")
    if error.msg.startswith("Invalid control character"):
        return _("a raw control character inside a string, at character %(at)d") % {"at": error.pos}
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return _("cut off: the JSON ends in the middle")
    return _("not JSON: %(what)s at character %(at)d") % {"what": error.msg, "at": error.pos}


def _refuse_constant(name: str) -> Any:
    raise BadRow(_("%(name)s is not a JSON number") % {"name": name})


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        ((twice, _count),) = Counter(key for key, _inner in pairs).most_common(1)
        raise BadRow(_("the key “%(key)s” stands twice in one object") % {"key": twice[:80]})
    return value


def _too_deep() -> str:
    return _("nested deeper than %(depth)d levels") % {"depth": MAX_DEPTH}


def _check(value: Any) -> None:
    """Refuse depth, NUL, lone surrogates and overflown numbers; a stack, so depth cannot hurt."""
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, float):
            if not math.isfinite(item):
                raise BadRow(_("a number beyond what a float can hold"))
        elif isinstance(item, dict | list):
            if depth > MAX_DEPTH:
                raise BadRow(_too_deep())
            if isinstance(item, dict):
                stack.extend((key, depth) for key in item)
            inner = item.values() if isinstance(item, dict) else item
            stack.extend((one, depth + 1) for one in inner)


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise BadRow(_("a NUL character (\\u0000) inside a string"))
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadRow(_("half of a surrogate pair inside a string")) from error
