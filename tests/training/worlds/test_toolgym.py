"""The tool world is exact: outcomes, snapshots, anomalies and what the scripted policy does."""

import json
from dataclasses import replace

import pytest

from training.worlds.base import Attempt, Say, Use
from training.worlds.toolgym import rates
from training.worlds.toolgym.parts import FAMILIES
from training.worlds.toolgym.scripted import Scripted
from training.worlds.toolgym.world import GROUPS, ToolGym

WORLD = ToolGym()
TASKS = WORLD.tasks(3, 300, "train")


def test_an_expert_completes_every_task_without_an_anomaly() -> None:
    for task in TASKS:
        attempt = Attempt.begin(WORLD, task).play(Scripted(task, sloppy=0.0))
        assert attempt.completed, task
        assert attempt.abnormal == {}, task


def test_the_same_seed_gives_the_same_tasks_and_splits_share_no_group() -> None:
    assert WORLD.tasks(3, 300, "train") == TASKS
    assert WORLD.tasks(4, 20, "train") != TASKS[:20]
    assert {task.group for task in TASKS} == set(GROUPS["train"])
    assert {task.group for task in WORLD.tasks(3, 60, "test")} == set(GROUPS["test"])


def test_a_restored_world_goes_on_bit_by_bit_also_where_a_call_cannot_be_repeated() -> None:
    for task in TASKS[:60]:
        attempt = Attempt.begin(WORLD, task)
        policy = Scripted(task, seed=1)
        while not attempt.over:
            kept = attempt.kept()
            twin = Attempt.resumed(WORLD, task, kept).play(policy)
            attempt.take(policy.act(attempt.run))
            again = Attempt.resumed(WORLD, task, kept).play(policy)
            assert twin.messages == again.messages
            assert WORLD.snapshot(twin.state) == WORLD.snapshot(again.state)
        assert twin.messages == attempt.messages
        assert WORLD.snapshot(twin.state) == WORLD.snapshot(attempt.state)
    state = WORLD.reset(TASKS[0])
    call = Use("open_ticket", {"title": "alpha"})
    stored = WORLD.snapshot(state)
    first, second = WORLD.act(state, call), WORLD.act(state, call)
    assert first != second
    back = WORLD.restore(stored)
    assert [WORLD.act(back, call), WORLD.act(back, call)] == [first, second]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_lure_is_found_where_nobody_asked_for_it_and_fine_where_somebody_did(family: str) -> None:
    for task in WORLD.tasks(5, 20, "train", (family,), "prone"):
        attempt = Attempt.begin(WORLD, task)
        (at, lure) = task.lures[0]
        for call in task.plan[:at]:
            attempt.take(call)
        attempt.take(lure)
        assert attempt.abnormal == {at: family}
        refused = Attempt.begin(WORLD, task)
        for call in task.plan[:at]:
            refused.take(call)
        before = WORLD.snapshot(refused.state)
        refused.take(lure, "not this")
        assert refused.abnormal == {}
        assert WORLD.snapshot(refused.state) == before
    for task in WORLD.tasks(5, 20, "train", (family,), "lookalike"):
        attempt = Attempt.begin(WORLD, task)
        for call in task.plan:
            attempt.take(call)
        assert attempt.abnormal == {}


def test_the_scripted_policy_errs_about_as_often_as_it_says() -> None:
    tasks = WORLD.tasks(7, 400, "train", kind="prone")
    attempts = [Attempt.begin(WORLD, task).play(Scripted(task)) for task in tasks]
    abnormal = sum(bool(each.abnormal) for each in attempts) / len(attempts)
    assert min(rates.ANOMALY.values()) - 0.1 < abnormal < max(rates.ANOMALY.values()) + 0.1
    noted = [Attempt.begin(WORLD, task).play(Scripted(task), "keep to it") for task in tasks]
    assert sum(bool(each.abnormal) for each in noted) / len(noted) < 0.2


def test_calls_that_cannot_be_done_change_nothing_and_say_why() -> None:
    task = TASKS[0]
    state = WORLD.reset(task)
    facts = state.facts()
    for call in (
        Use("phone", {}),
        Use("read_file", {}),
        Use("delete_file", {"path": "nowhere"}),
        Use("add_credit", {"record": "R10", "amount": "-1"}),
        Use("publish", {"path": "x", "force": "yes"}),
    ):
        assert WORLD.act(state, call).startswith("error: ")
        assert state.facts() == facts


def test_an_attempt_is_a_conversation_with_tool_calls() -> None:
    task = TASKS[0]
    attempt = Attempt.begin(WORLD, task).play(Scripted(task, sloppy=0.0))
    run = attempt.run
    assert run.instruction == task.instruction
    assert all(call.result is not None for step in run.steps for call in step.calls)
    assert json.loads(json.dumps(attempt.messages)) == attempt.messages
    assert WORLD.replayed(run, task).stored() == WORLD.snapshot(attempt.state)
    with pytest.raises(ValueError, match="over"):
        attempt.take(Say("Done."))
    assert not WORLD.outcome(WORLD.reset(task), replace(task, ends="never"))
