"""One row of tasks, checked and made canonical; every way in passes through here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any

import orjson
from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.common.plain import flaw

MAX_ROW = 4 * 1024 * 1024
MAX_TOKENS = 32_768
MAX_FAULTS = 20
ROLES = ("system", "developer", "user", "assistant", "tool")
Fault = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A checked row. ``content_sha256`` covers everything but ``external_id``."""

    external_id: str
    content_sha256: bytes
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None
    reference: Any
    checks: list[dict[str, Any]]
    limits: dict[str, Any]
    metadata: dict[str, Any]
    overlap: int
    priority: int


DEFAULTS: dict[str, Any] = {
    "tools": None,
    "reference": None,
    "checks": [],
    "limits": {},
    "metadata": {},
    "overlap": 1,
    "priority": 0,
}
FIELDS = tuple(field.name for field in fields(TaskRow) if field.name != "content_sha256")


def parse_row(value: Any) -> TaskRow:
    """The row that parsed JSON stands for; raises Invalid with one entry per fault."""
    if not isinstance(value, dict):
        raise Invalid(_("A row must be a JSON object with at least “messages”."))
    reason = flaw(value)
    if reason:
        raise Invalid(reason, code="bad_text")
    faults = list(islice(_faults(value), MAX_FAULTS))
    if faults:
        errors = [{"field": field, "detail": text} for field, text in faults]
        raise Invalid("; ".join(f"{field}: {text}" for field, text in faults[:5]), errors=errors)
    content = {name: value.get(name, default) for name, default in DEFAULTS.items()}
    content["messages"] = value["messages"]
    data = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    if len(data) > MAX_ROW:
        raise Invalid(
            _("The row is larger than %(size)d MB.") % {"size": MAX_ROW // 2**20}, code="too_large"
        )
    digest = hashlib.sha256(data)
    given = value.get("external_id")
    name = f"sha256:{digest.hexdigest()}" if given is None else str(given)
    return TaskRow(external_id=name, content_sha256=digest.digest(), **content)


def _faults(row: dict[str, Any]) -> Iterator[Fault]:
    for name in row:
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            yield name, _("not a known field (known are: %(known)s)") % {"known": known}
    given = row.get("external_id")
    if given is not None and (type(given) not in (str, int) or not 1 <= len(str(given)) <= 200):
        yield "external_id", _("must be text of 1 to 200 characters")
    if "messages" in row:
        yield from _message_faults(row["messages"])
    else:
        yield "messages", _("is missing")
    for name, (fits, text) in RULES.items():
        if name in row and not fits(row[name]):
            yield name, text()


def _message_faults(messages: Any) -> Iterator[Fault]:
    if not isinstance(messages, list) or not messages:
        yield "messages", _("must be a list with at least one message")
        return
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if not isinstance(message, dict):
            yield place, _("must be an object with “role” and “content”")
            continue
        role, content = message.get("role"), message.get("content")
        if role not in ROLES:
            yield f"{place}.role", _("must be one of %(roles)s") % {"roles": ", ".join(ROLES)}
        silent = content is None and role == "assistant" and message.get("tool_calls")
        if not isinstance(content, str) and not silent:
            yield f"{place}.content", _("must be text")
    last = messages[-1]
    if isinstance(last, dict) and last.get("role") in ("system", "developer", "assistant"):
        yield "messages", _("the last message must be of role user or tool")


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _checks(value: Any) -> bool:
    return _objects(value) and all(isinstance(item.get("kind"), str) for item in value)


def _limits(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= {"max_tokens"}
        and all(map(_whole(1, MAX_TOKENS), value.values()))
    )


RULES: dict[str, tuple[Callable[[Any], bool], Callable[[], str]]] = {
    "tools": (
        lambda value: value is None or _objects(value),
        lambda: _("must be a list of objects, or null"),
    ),
    "checks": (_checks, lambda: _("must be a list of objects that each have a “kind”")),
    "limits": (
        _limits,
        lambda: _("may hold max_tokens, a whole number from 1 to %(max)d") % {"max": MAX_TOKENS},
    ),
    "metadata": (lambda value: isinstance(value, dict), lambda: _("must be an object")),
    "overlap": (_whole(1, 100), lambda: _("must be a whole number from 1 to 100")),
    "priority": (
        _whole(-1_000_000, 1_000_000),
        lambda: _("must be a whole number from -1000000 to 1000000"),
    ),
}
