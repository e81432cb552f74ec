"""Whether the answer has the properties that its task asks for: one verdict for each check."""

from __future__ import annotations

from collections.abc import Iterator

from rewards.registry import source
from rewards.sources.properties import counts, forms, phrases
from rewards.sources.properties.check import BadCheck, bind, check_errors, kinds
from rewards.verdict import Trace, Verdict, binary

__all__ = ["check_errors", "counts", "forms", "kinds", "phrases", "properties"]


@source("properties", version="1")
def properties(trace: Trace) -> Iterator[Verdict]:
    """Binary, one for each row of the task's ``checks``; the evidence repeats the row.

    An answer without a visible character has no property. Silent about a row that is no check.
    """
    rows = trace.task.get("checks")
    is_empty = not trace.text.strip()
    for row in rows if isinstance(rows, list) else ():
        try:
            outcome = bind(row)(trace.text)
        except BadCheck:
            continue
        if is_empty:
            yield binary(False, check=dict(row), empty=True)
        elif outcome is not None:
            holds, evidence = outcome
            yield binary(holds, check=dict(row), **evidence)
