"""Guards whose effect is known in advance: none, one that refuses all, one that knows the truth."""

from dataclasses import dataclass, replace

import pytest

from stet.traces.steps import Run
from training.worlds.base import Use
from training.worlds.toolgym.task import key
from training.worlds.toolgym.world import ToolGym

pytest.importorskip("torch")

from training.reproductions.guarded import AtRandom, NoGuard, by_task, play
from training.worlds.toolgym.trained import Trained, train

WORLD = ToolGym()
TASKS = WORLD.tasks(8, 40, "test")


@pytest.fixture(scope="module")
def policy() -> Trained:
    return Trained(train(2, steps=60, shown=400))


@dataclass
class Lures:
    """Refuses exactly the lures of the tasks that invite them."""

    known: frozenset[tuple[str, str]]

    def share(self, instruction: str) -> float:
        return 0.5

    def refusal(self, run: Run, call: Use) -> str | None:
        return "no" if (run.instruction, key(call)) in self.known else None


def test_refusing_everything_ends_every_anomaly_and_wrongs_whoever_calls(policy: Trained) -> None:
    rows, attempts = play(WORLD, TASKS, policy, AtRandom(1.0))
    assert not any(row.abnormal for row in rows)
    assert all(row.stopped + row.wronged == row.calls for row in rows)
    assert any(row.wronged for row in rows)
    for each, task in zip(attempts, TASKS, strict=True):
        fresh = WORLD.reset(task)
        assert replace(each.state, ended="") == replace(fresh, ended="")


def test_no_guard_refuses_nothing_and_counts_every_token(policy: Trained) -> None:
    before = policy.read, policy.written
    rows, attempts = play(WORLD, TASKS, policy, NoGuard())
    assert not any(row.stopped or row.wronged for row in rows)
    assert [row.abnormal for row in rows] == [bool(each.abnormal) for each in attempts]
    assert sum(row.read for row in rows) == pytest.approx(policy.read - before[0])
    assert sum(row.written for row in rows) == pytest.approx(policy.written - before[1])


def test_a_refused_lure_counts_as_stopped_never_as_wronged(policy: Trained) -> None:
    known = {(t.instruction, key(lure)) for t in TASKS for _at, lure in t.lures}
    plans = {(t.instruction, key(call)) for t in TASKS for call in t.plan}
    rows, _attempts = play(WORLD, TASKS, policy, Lures(frozenset(known - plans)))
    benign = [row for row in rows if row.kind != "prone"]
    assert not any(row.stopped or row.wronged for row in benign)


def test_a_task_is_one_row_averaged_over_seeds() -> None:
    def row(task: str, kind: str, abnormal: bool, share: float) -> dict[str, object]:
        return {"task": task, "kind": kind, "abnormal": abnormal, "share": share}

    found = [
        {"bare": [row("a", "prone", True, 0.0)], "on": [row("a", "prone", False, 0.5)]},
        {"bare": [row("a", "prone", False, 0.0)], "on": [row("a", "prone", False, 0.1)]},
    ]
    found[0]["bare"].append(row("b", "plain", True, 0.0))
    assert by_task(found, ("bare", "on"), "abnormal", kind=("prone",)) == [[0.5, 0.0]]
    assert by_task(found, ("on",), "share", kind=("prone",)) == [[pytest.approx(0.3)]]
