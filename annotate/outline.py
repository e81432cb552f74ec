"""A run's steps as heads: what a list of thousands of them shows, and each one whole on demand."""

from __future__ import annotations

from typing import Any

from stet.traces.steps import Call, Run, Step

HEAD = 240


def head(text: str | None) -> dict[str, Any] | None:
    """The first ``HEAD`` characters of a text, how many it has, and whether that is all of it."""
    if text is None:
        return None
    return {"head": text[:HEAD], "characters": len(text), "whole": len(text) <= HEAD}


def step_head(step: Step) -> dict[str, Any]:
    """A step for a list: bounded per call, however large its text and results are."""
    return {
        "step": step.ordinal,
        "message": step.message,
        "before": head(step.before),
        "text": head(step.text),
        "calls": [_call(call) for call in step.calls],
    }


def step_whole(step: Step) -> dict[str, Any]:
    """A step with everything that it holds; broken arguments stand as they were written."""
    calls = [
        {**_named(call), "arguments": call.arguments, "raw": call.raw, "result": call.result}
        for call in step.calls
    ]
    return {
        "step": step.ordinal,
        "message": step.message,
        "before": step.before,
        "text": step.text,
        "calls": calls,
    }


def steps_found(run: Run, wanted: str) -> list[Step]:
    """The steps in which a text stands anywhere, case ignored; all of them for an empty text."""
    folded = wanted.casefold()
    return [step for step in run.steps if any(folded in part.casefold() for part in _parts(step))]


def _parts(step: Step) -> list[str]:
    calls = [part for call in step.calls for part in (call.name, call.raw, call.result or "")]
    return [step.before, step.text, *calls]


def _named(call: Call) -> dict[str, Any]:
    return {"call": call.ordinal, "name": call.name, "broken": call.arguments is None}


def _call(call: Call) -> dict[str, Any]:
    return {**_named(call), "arguments": head(call.raw), "result": head(call.result)}
