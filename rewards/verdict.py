"""What a source is given (`Trace`) and what it says of it (`Verdict`): plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stet.traces.kinds import Kind
from stet.traces.steps import Run

__all__ = ["TASK", "Kind", "Run", "Trace", "Verdict", "all_hold", "binary", "excerpt", "scalar"]
EXCERPT_CHARACTERS = 160


TASK = ("external_id", "messages", "tools", "reference", "checks", "metadata")
"""What sources are told of a task."""


@dataclass(frozen=True)
class Trace:
    """One attempt at one task.

    ``task`` is the task's row (``messages``, ``checks``, ``reference`` ...), ``text`` the last
    answer without special tokens, ``ids`` its token ids where they are known, ``run`` the steps and
    calls of the whole attempt where a source may ask for them.
    """

    task: Mapping[str, Any]
    text: str
    ids: Sequence[int] | None = None
    run: Run | None = None


@dataclass(frozen=True)
class Verdict:
    """One value about an answer, or about the step or call of that number, and why; a source that
    cannot judge makes none.

    ``evidence`` is JSON without NUL characters. ``key`` tells apart several verdicts about one
    thing. The registry writes ``source`` and ``version``.
    """

    kind: Kind
    value: Any
    evidence: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    version: str = ""
    key: str = ""
    step: int | None = None
    call: int | None = None

    def __post_init__(self) -> None:
        if self.kind is Kind.BINARY and not isinstance(self.value, bool):
            raise TypeError("a binary verdict is true or false")
        if self.kind is Kind.SCALAR and not (
            isinstance(self.value, float) and math.isfinite(self.value)
        ):
            raise TypeError("a scalar verdict is a finite float")


def binary(value: bool, **evidence: Any) -> Verdict:
    return Verdict(Kind.BINARY, value, evidence)


def scalar(value: float, **evidence: Any) -> Verdict:
    return Verdict(Kind.SCALAR, float(value), evidence)


def all_hold(verdicts: Iterable[Verdict]) -> bool | None:
    """Whether every binary verdict is true; None where nothing was judged."""
    values = [verdict.value for verdict in verdicts if verdict.kind is Kind.BINARY]
    return all(values) if values else None


def excerpt(text: str, size: int = EXCERPT_CHARACTERS) -> str:
    """The beginning of ``text``, fit for a JSON column: no NUL, no lone surrogates."""
    cut = text[:size].replace("\0", "\N{REPLACEMENT CHARACTER}")
    safe = cut.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return safe if len(text) <= size else safe + "…"
