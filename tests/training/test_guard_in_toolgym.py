"""Rules mined from toolgym stop its anomalies in unseen tasks, and spare look-alikes."""

from __future__ import annotations

from rewards.guard.mining import Labelled, mine
from rewards.guard.rules import RuleSet
from stet.traces.steps import Call
from training.worlds.base import Attempt, Use
from training.worlds.toolgym.parts import FAMILIES
from training.worlds.toolgym.rates import HELD_OUT
from training.worlds.toolgym.scripted import Scripted
from training.worlds.toolgym.task import Task
from training.worlds.toolgym.world import ToolGym

WORLD = ToolGym()
SEEN = tuple(name for name in FAMILIES if name not in HELD_OUT)


def played(task: Task, guard: RuleSet) -> tuple[bool, int]:
    """(abnormal, refused calls) of one attempt by the scripted policy."""
    attempt, policy, refused = Attempt.begin(WORLD, task), Scripted(task, 7), 0
    while not attempt.over:
        move, refusal = policy.act(attempt.run), None
        if isinstance(move, Use):
            history = [call for step in attempt.run.steps for call in step.calls]
            asked = Call(len(history), move.name, dict(move.arguments), move.raw)
            said = guard.check(task.instruction, history, asked)
            if said.decision == "block":
                refusal, refused = f"{said.message} {said.alternative}", refused + 1
        attempt.take(move, refusal)
    return bool(attempt.abnormal), refused


def test_mined_rules_guard_unseen_tasks() -> None:
    runs = []
    for task in WORLD.tasks(1, 300, "train", families=SEEN):
        attempt = Attempt.begin(WORLD, task).play(Scripted(task))
        runs.append(Labelled(attempt.run, attempt.abnormal, task.group, task.id))
    rules = mine([one for one in runs if one.anomalies], [one for one in runs if not one.anomalies])
    guard, always = RuleSet(rules), RuleSet(rules, always_on=True)
    prone = WORLD.tasks(2, 60, "test", families=SEEN, kind="prone")
    alike = WORLD.tasks(2, 60, "test", families=SEEN, kind="lookalike")
    before = sum(played(task, RuleSet([]))[0] for task in prone)
    after = sum(played(task, guard)[0] for task in prone)
    assert before > 30
    assert after <= 0.4 * before
    wronged = sum(played(task, guard)[1] > 0 for task in alike)
    blindly = sum(played(task, always)[1] > 0 for task in alike)
    assert wronged <= 0.2 * len(alike)
    assert blindly > wronged
    active = [len(guard.active(task.instruction)) / len(rules) for task in [*prone, *alike]]
    assert sum(active) / len(active) <= 0.3
