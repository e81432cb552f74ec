"""Whether the answer is the task's reference, but for white space at its ends and runs of it."""

from __future__ import annotations

from collections.abc import Iterator

from rewards.registry import source
from rewards.verdict import Trace, Verdict, binary, excerpt


def squeezed(text: str) -> str:
    return " ".join(text.split())


@source("exact", version="1")
def exact(trace: Trace) -> Iterator[Verdict]:
    """Binary. Silent without a reference: a string, or a list of strings of which one suffices."""
    reference = trace.task.get("reference")
    accepted = [reference] if isinstance(reference, str) else reference
    if not isinstance(accepted, list) or not accepted:
        return
    if not all(isinstance(each, str) for each in accepted):
        return
    answer = squeezed(trace.text)
    yield binary(
        answer in {squeezed(each) for each in accepted},
        expected=[excerpt(each) for each in accepted],
        found=excerpt(answer),
    )
