"""The kinds of signals, and what the value of each may be."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import orjson
from django.utils.translation import gettext as _

from stet.traces.steps import deep

MAX_CATEGORY = 200
MAX_TEXT = 20_000
MAX_BYTES = 64 * 1024


class Kind(StrEnum):
    """What the value of a signal is: true or false, a finite number, one of some names, which of
    two episodes is better, text, or an object."""

    BINARY = "binary"
    SCALAR = "scalar"
    CATEGORY = "category"
    PREFERENCE = "preference"
    TEXT = "text"
    STRUCTURED = "structured"


def value_fault(kind: str, value: Any) -> str:
    """Why ``value`` is none of that kind, "" if it is one.

    A preference is ``{"over": EPISODE_ID}``, with ``"margin"`` (a number >= 0) where it is known.
    """
    if kind == Kind.BINARY:
        return "" if isinstance(value, bool) else _("a binary value is true or false")
    if kind == Kind.SCALAR:
        return "" if _number(value) else _("a scalar value is a finite number")
    if kind == Kind.CATEGORY:
        good = isinstance(value, str) and 0 < len(value) <= MAX_CATEGORY
        return "" if good else _("a category is a name of at most %d characters") % MAX_CATEGORY
    if kind == Kind.TEXT:
        good = isinstance(value, str) and 0 < len(value) <= MAX_TEXT
        return "" if good else _("a text has 1 to %d characters") % MAX_TEXT
    if kind == Kind.PREFERENCE:
        return "" if _preference(value) else _("a preference names the episode that is worse")
    if kind == Kind.STRUCTURED:
        return object_fault(value)
    return _("there is no such kind")


def object_fault(value: Any) -> str:
    """Why ``value`` cannot be kept as an object, "" if it can."""
    if not isinstance(value, dict):
        return _("it is no object")
    if deep(value):
        return _("it nests too deep")
    try:
        size = len(orjson.dumps(value))
    except (orjson.JSONEncodeError, TypeError) as error:
        return str(error)
    return "" if size <= MAX_BYTES else _("it has more than %d kB") % (MAX_BYTES // 1024)


def _number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)


def _preference(value: Any) -> bool:
    if not isinstance(value, dict) or not {"over"} <= set(value) <= {"over", "margin"}:
        return False
    over, margin = value["over"], value.get("margin", 0)
    named = isinstance(over, int) and not isinstance(over, bool) and 0 < over < 2**63
    return named and _number(margin) and margin >= 0
