"""RADAR finds the step where a run broke, and grades an injected error by recovery."""

from __future__ import annotations

import json

import pytest

from rewards.flare.radar import chain_labels, chain_of, graded, injected, replay
from rewards.flare.taxonomy import Level

Move = tuple[str, str, str]
State = dict[str, int]
START = json.dumps({"x": 2}).encode()


class Sums:
    """Registers: ``(to, left, right)`` adds two registers or numbers; done when ``out`` is 10."""

    def snapshot(self, state: State) -> bytes:
        return json.dumps(state).encode()

    def restore(self, stored: bytes) -> State:
        found: State = json.loads(stored)
        return found

    def act(self, state: State, move: Move) -> str:
        to, *parts = move
        state[to] = sum(int(part) if part.isdigit() else state.get(part, 0) for part in parts)
        return str(state[to]) if state[to] <= 10 else "error: too much"

    def outcome(self, state: State) -> bool:
        return state.get("out") == 10


# a is wrong (9 for 4); b and out are made from it, c is not.
MOVES: list[Move] = [("a", "x", "7"), ("c", "x", "1"), ("b", "a", "1"), ("out", "b", "5")]
RIGHT: dict[int, Move] = {0: ("a", "x", "2"), 1: ("c", "x", "3"), 2: ("b", "4", "1")}
USES = {3: [2, 1], 2: [0], 1: [], 0: []}


def chain(right: dict[int, Move], uses: dict[int, list[int]]) -> list[int]:
    return chain_of(
        Sums(),
        START,
        MOVES,
        failing=3,
        uses=uses.__getitem__,
        corrected=right.get,
        fails=lambda seen: seen.startswith("error"),
    )


def test_a_failed_run_is_traced_back_to_its_root() -> None:
    assert replay(Sums(), START, MOVES).done is False
    assert chain(RIGHT, USES) == [0, 2, 3]


def test_a_step_joins_only_where_it_was_used_and_its_correction_helps() -> None:
    assert chain(RIGHT, {**USES, 2: []}) == [2, 3]
    assert chain({**RIGHT, 0: ("a", "x", "8")}, USES) == [2, 3]
    assert chain({0: RIGHT[0], 1: RIGHT[1]}, USES) == [3]
    assert chain({}, USES) == [3]


def test_evidence_that_flips_is_enough() -> None:
    """With 6 + 1 + ... the outcome stays wrong, and yet nothing fails any more."""
    assert chain({2: ("b", "3", "1")}, USES) == [2, 3]


def test_a_good_run_and_a_missing_step_are_refused() -> None:
    asked = {"uses": USES.__getitem__, "corrected": RIGHT.get, "fails": bool}
    good = [RIGHT[0], *MOVES[1:]]
    assert replay(Sums(), START, good).done
    with pytest.raises(ValueError, match="did not fail"):
        chain_of(Sums(), START, good, failing=3, **asked)  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        chain_of(Sums(), START, MOVES, failing=4, **asked)  # type: ignore[arg-type]


def test_the_evidence_of_a_label_is_never_later_than_its_step() -> None:
    labels = chain_labels([0, 2, 3], 5)
    assert [label.level.value for label in labels] == ["critical", "ok", "major", "major", "ok"]
    assert [label.evidence for label in labels] == [(0,), (), (0, 2), (0, 2, 3), ()]


@pytest.mark.parametrize(
    ("recovers", "severity", "level"),
    [(3, 0, Level.MINOR), (2, 1 / 3, Level.MINOR), (1, 2 / 3, Level.MAJOR), (0, 1, Level.CRITICAL)],
)
def test_an_injected_error_is_graded_by_recovery(
    recovers: int, severity: float, level: Level
) -> None:
    """Each rollout begins in the same restored state, whatever the one before did to it."""
    seen: list[tuple[State, str]] = []

    def go_on(state: State, shown: str, number: int) -> None:
        seen.append((dict(state), shown))
        state["out"] = 10 if number < recovers else 0
        state["x"] = 99

    found = injected(Sums(), START, ("a", "x", "7"), go_on, m=3)
    assert found == pytest.approx(severity)
    assert graded(found) is level
    assert seen == [({"x": 2, "a": 9}, "9")] * 3


def test_severities_outside_their_range_are_refused() -> None:
    assert [graded(each) for each in (0.33, 0.34, 0.67)] == [
        Level.MINOR,
        Level.MAJOR,
        Level.CRITICAL,
    ]
    with pytest.raises(ValueError, match="lies in"):
        graded(1.01)
    with pytest.raises(ValueError, match="needs a rollout"):
        injected(Sums(), START, MOVES[0], lambda *_: None, m=0)
