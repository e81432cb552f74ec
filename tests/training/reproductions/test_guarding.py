"""The guard's experiment with a miner whose effect is known: it reports that effect."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch")

from rewards.guard.mining import Labelled
from stet.traces.steps import Run
from training.reproductions import guarding
from training.reproductions.guarding import Mined
from training.worlds.base import Use
from training.worlds.toolgym.rates import HELD_OUT
from training.worlds.toolgym.task import key
from training.worlds.toolgym.world import ToolGym


@dataclass
class Knowing:
    """Refuses the anomalous calls of the tasks it knows; `all` also what look-alikes ask for."""

    all: bool

    def share(self, instruction: str) -> float:
        return 1.0 if self.all else 0.1

    def refusal(self, run: Run, call: Use) -> str | None:
        task = TASKS[run.instruction]
        plan = {key(each) for each in task.plan}
        lured = any(key(lure) == key(call) for _at, lure in task.lures)
        refused = lured or (self.all and task.kind == "lookalike" and key(call) in plan)
        return "not this call" if refused else None


TASKS = {task.instruction: task for task in guarding.held_out_tasks(10)}


def test_a_miner_that_knows_the_lures_is_seen_to_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Labelled] = []

    def mine(traces: Sequence[Labelled]) -> Mined:
        seen.extend(traces)
        return Mined(Knowing(all=False), Knowing(all=True), 8)

    monkeypatch.setitem(guarding.TASKS, "smoke", 10)
    monkeypatch.setattr(guarding, "SMOKE_STEPS", 120)
    monkeypatch.setattr(guarding, "SMOKE_SHOWN", 800)
    result = guarding.run(mine, 0, "smoke", tmp_path)
    assert len(seen) == guarding.TRACES["smoke"]
    families = {name for each in seen for name in each.anomalies.values()}
    assert families
    assert not families & set(HELD_OUT)
    found = {figure.name: figure for figure in guarding.figures([result])}
    assert found["active rules, share"].value == pytest.approx(0.1)
    assert found["always: over-refusal"].value > found["over-refusal"].value
    assert found["always on, more over-refusal"].clears is True
    assert found["guarded: abnormal"].value <= found["bare: abnormal"].value
    assert found["rules"].value == 8
    assert found["mining_tokens"].value > 0


def test_tasks_to_judge_by_share_no_group_with_those_to_mine_from() -> None:
    judged = guarding.held_out_tasks(30)
    mined = ToolGym().tasks(2000, 100, "train", guarding.KNOWN)
    assert not {task.group for task in judged} & {task.group for task in mined}
    assert len({task.id for task in judged}) == len(judged)
    assert not {task.family for task in mined} & set(HELD_OUT)
