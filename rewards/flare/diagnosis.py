"""The structured output of a risk model, written and strictly read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise

from rewards.flare.taxonomy import ErrorClass, Level

MAX_ADVICE = 500
LONGEST = 4_000
FORM = re.compile(
    r"<diag><risk>([a-z]+)</risk><class>([a-z_]+)</class>"
    r'<evidence steps="((?:[0-9]{1,6}(?:,[0-9]{1,6})*)?)"/><advice>([^<>]*)</advice></diag>'
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is said of a step: how bad, which error, the steps that show it, what would help."""

    level: Level
    error: ErrorClass
    steps: tuple[int, ...]
    advice: str

    def written(self) -> str:
        """The text that a risk model is trained to emit; `parsed` reads it back."""
        steps = ",".join(str(step) for step in self.steps)
        return (
            f"<diag><risk>{self.level}</risk><class>{self.error}</class>"
            f'<evidence steps="{steps}"/><advice>{escape(self.advice)}</advice></diag>'
        )


def parsed(text: str, step: int) -> Diagnosis | None:
    """The diagnosis of ``step`` that ``text`` is, None for anything else.

    Invalid: other tags or order, words that are no level or class, evidence that comes later than
    the step or does not rise, ``ok`` with an error or an error without a risk, advice beyond 500
    characters.
    """
    found = FORM.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        return None
    try:
        level, error = Level(found[1]), ErrorClass(found[2])
    except ValueError:
        return None
    steps = tuple(int(each) for each in found[3].split(",")) if found[3] else ()
    advice = unescape(found[4])
    rising = all(a < b for a, b in pairwise(steps))
    late = bool(steps) and steps[-1] > step
    agrees = (level is Level.OK) == (error is ErrorClass.NONE)
    if late or not rising or not agrees or len(advice) > MAX_ADVICE:
        return None
    return Diagnosis(level, error, steps, advice)
