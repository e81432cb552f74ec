"""Every recorded agent run of the demo, run again through its world, gives what was recorded."""

from __future__ import annotations

from typing import Any

import pytest

from stet.projects.demo import demo_agent_runs
from stet.projects.demo.world import START, call, replay, schema

RUNS = demo_agent_runs()
KINDS = ("items", "members", "holds", "loans")


def named(run: dict[str, Any]) -> str:
    return str(run["external_id"])


def changed(state: dict[str, Any]) -> dict[str, Any]:
    """The rows that differ from the start, as in a run's ``goal``."""
    return {
        f"{kind}/{key}": state[kind].get(key)
        for kind in KINDS
        for key in START[kind] | state[kind]
        if START[kind].get(key) != state[kind].get(key)
    }


@pytest.mark.parametrize("run", RUNS, ids=named)
def test_the_calls_give_exactly_the_recorded_results(run: dict[str, Any]) -> None:
    results, _ = replay(run["messages"])
    recorded = [message["content"] for message in run["messages"] if message["role"] == "tool"]
    assert recorded == results
    assert run["tools"] == schema()


@pytest.mark.parametrize("run", RUNS, ids=named)
def test_the_reward_is_one_where_the_goal_was_reached(run: dict[str, Any]) -> None:
    _, state = replay(run["messages"])
    assert run["metadata"]["reward"] == int(changed(state) == run["metadata"]["goal"])


@pytest.mark.parametrize("run", RUNS, ids=named)
def test_every_call_has_one_result_after_it_and_faults_name_calls(run: dict[str, Any]) -> None:
    open_calls: list[str] = []
    seen: list[str] = []
    for message in run["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
        else:
            assert not open_calls
            open_calls = [each["id"] for each in message.get("tool_calls", ())]
            seen += open_calls
    assert run["messages"][-1]["role"] == "assistant"
    assert not open_calls
    for fault in run["metadata"]["faults"]:
        assert fault["call"] is None or fault["call"] in seen
        assert fault["note"]
    assert run["metadata"]["reward"] == 1 or run["metadata"]["faults"]


def test_there_are_good_and_bad_runs_and_a_quarter_is_chinese() -> None:
    rewards = [run["metadata"]["reward"] for run in RUNS]
    assert min(rewards.count(0), rewards.count(1)) >= 3
    assert 4 * sum(run["metadata"]["language"] == "zh" for run in RUNS) >= len(RUNS)
    kinds = {fault["kind"] for run in RUNS for fault in run["metadata"]["faults"]}
    assert kinds >= {"wrong_item", "against_policy", "loop"}


def test_the_start_is_not_changed_by_a_replay() -> None:
    before = repr(START)
    replay(
        [{"tool_calls": [{"function": {"name": "cancel_hold", "arguments": '{"hold_id":"H1"}'}}]}]
    )
    assert repr(START) == before


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("no_tool", "{}", '{"error": "no such tool"}'),
        ("cancel_hold", "not json", '{"error": "the arguments do not fit the tool"}'),
        ("cancel_hold", '{"hold": 1}', '{"error": "the arguments do not fit the tool"}'),
        ("cancel_hold", '{"hold_id": "H9"}', '{"error": "no hold H9"}'),
    ],
)
def test_a_call_that_cannot_be_done_is_answered(name: str, arguments: str, result: str) -> None:
    assert call({"holds": {}}, name, arguments) == result
