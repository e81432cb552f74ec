"""What a risk model reads: a run up to and including one step, as text."""

from __future__ import annotations

from stet.traces.steps import Run

RESULT_CHARACTERS = 600


def rendered(run: Run, step: int) -> str:
    """The prefix visible when ``step`` was made; neither its results nor anything later can change
    it. Results are cut at 600 characters. Raises IndexError where the run has no such step.
    """
    if not 0 <= step < len(run.steps):
        raise IndexError(f"the run has no step {step}")
    seen = run.upto(step)
    lines = [f"task: {seen.instruction}"]
    for each in seen.steps:
        if each.before:
            lines.append(f"said: {each.before}")
        lines.append(f"step {each.ordinal}: {each.text}")
        for call in each.calls:
            lines.append(f"call {call.ordinal}: {call.name} {call.raw}")
            if call.result is not None:
                lines.append(f"result {call.ordinal}: {call.result[:RESULT_CHARACTERS]}")
    return "\n".join(lines)
