"""The kinds of checks that a task may name, and how one row of ``checks`` becomes a function."""

from __future__ import annotations

import functools
import inspect
import math
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

LONGEST_TEXT = 200
LONGEST_LIST = 50

# Whether the property holds and what was found instead; None where the text gives nothing to judge.
Outcome = tuple[bool, dict[str, Any]] | None
Check = Callable[..., Outcome]

kinds: dict[str, Check] = {}


class BadCheck(ValueError):
    """A row of ``checks`` that names no kind, or lacks or misstates its parameters."""


def check(function: Check) -> Check:
    """Make ``function(text, *, parameters)`` a kind of check, under its own name."""
    kinds[function.__name__] = function
    return function


def bind(row: Any) -> Callable[[str], Outcome]:
    """The check that a row such as ``{"kind": "max_words", "n": 12}`` describes, or `BadCheck`."""
    if not isinstance(row, Mapping) or not isinstance(row.get("kind"), str):
        raise BadCheck("a check is an object with a kind")
    function = kinds.get(row["kind"])
    if function is None:
        raise BadCheck(f"there is no kind of check called {row['kind'][:40]!r}")
    given = {name: value for name, value in row.items() if name != "kind"}
    known = {
        parameter.name: parameter.default
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    hints = get_type_hints(function)
    for name in given:
        if name not in known:
            raise BadCheck(f"{row['kind']} has no parameter {name!r}")
    for name, default in known.items():
        if name in given and not _fits(given[name], hints[name]):
            raise BadCheck(f"{row['kind']}: {name} is not what it should be")
        if name not in given and default is inspect.Parameter.empty:
            raise BadCheck(f"{row['kind']} needs {name}")
    return functools.partial(function, **given)


def check_errors(rows: Any) -> list[str]:
    """What is wrong with a task's ``checks``, one sentence a fault; empty where nothing is."""
    if not isinstance(rows, list):
        return ["checks is a list"]
    faults = []
    for number, row in enumerate(rows, start=1):
        try:
            bind(row)
        except BadCheck as fault:
            faults.append(f"check {number}: {fault}")
    return faults


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint) if isinstance(value, str) else False
    if get_origin(hint) is list:
        return (
            isinstance(value, list)
            and 0 < len(value) <= LONGEST_LIST
            and all(_fits(each, typing.get_args(hint)[0]) for each in value)
        )
    if hint is str:
        return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT
    if hint is int:
        return type(value) is int and value >= 0
    return type(value) in (int, float) and math.isfinite(value)
