"""A risk model reads the visible prefix alone, and only its exact form is taken as a diagnosis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.flare.diagnosis import Diagnosis, parsed
from rewards.flare.render import rendered
from rewards.flare.taxonomy import ErrorClass, Level
from stet.traces.steps import Call, Run, Step

TEXT = st.text(max_size=8)
ROW = st.tuples(TEXT, TEXT, TEXT, st.none() | TEXT)
STEPS = st.lists(ROW, min_size=1, max_size=5)
Row = tuple[str, str, str, str | None]
GOOD = Diagnosis(Level.MAJOR, ErrorClass.WRONG_TARGET, (0, 2), 'Use <b> & "c".')


def run_from(rows: list[Row]) -> Run:
    steps = [
        Step(n, n, text, (Call(n, "find", None, raw, result),), before)
        for n, (text, before, raw, result) in enumerate(rows)
    ]
    return Run("Book it.", tuple(steps))


@given(STEPS, STEPS, st.none() | TEXT, st.data())
def test_nothing_later_changes_the_input(
    rows: list[Row], later: list[Row], result: str | None, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    text, before, raw, _result = rows[at]
    changed = [*rows[:at], (text, before, raw, result), *later]
    assert rendered(run_from(changed), at) == rendered(run_from(rows), at)


def test_the_step_itself_and_earlier_results_are_read() -> None:
    run = run_from([("a", "", "x", "found"), ("b", "", "y", "later")])
    text = rendered(run, 1)
    assert "found" in text
    assert "step 1: b" in text
    assert "later" not in text
    for missing in (-1, 2):
        with pytest.raises(IndexError):
            rendered(run, missing)


@given(st.text(max_size=60))
def test_what_is_written_is_read_back(advice: str) -> None:
    said = Diagnosis(Level.MINOR, ErrorClass.NO_PROGRESS, (1, 3), advice)
    assert parsed(said.written(), 3) == said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("major", "huge"),
        ("major", "ok"),
        ("wrong_target", "none"),
        ("wrong_target", "typo"),
        ("0,2", "2,0"),
        ("0,2", "0,3"),
        ("0,2", "0,,2"),
        ("<risk>major</risk>", ""),
        ("</diag>", "</diag>more"),
        ("</advice>", "x" * 501 + "</advice>"),
    ],
)
def test_anything_else_is_no_diagnosis(old: str, new: str) -> None:
    text = GOOD.written()
    assert parsed(text, 2) == GOOD
    assert old in text
    assert parsed(text.replace(old, new, 1), 2) is None
