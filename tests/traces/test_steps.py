"""Steps, calls and results of conversations of any shape."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stet.traces.steps import deep, run_of


def call(name: str, arguments: str, id: str = "") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Policy."},
    {"role": "user", "content": "Book it."},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [call("find", '{"to": "SEA"}', "a"), call("user", "{broken", "b")],
    },
    {"role": "tool", "tool_call_id": "b", "content": "Mia"},
    {"role": "tool", "tool_call_id": "a", "content": "two flights"},
    {"role": "user", "content": [{"type": "text", "text": "The first."}]},
    {
        "role": "assistant",
        "content": '<tool_call>{"name": "book", "arguments": {"n": 1}}</tool_call>',
    },
    {"role": "tool", "content": "booked"},
    {"role": "assistant", "content": "Done."},
]


def test_steps_have_their_calls_and_results() -> None:
    run = run_of(MESSAGES)
    assert run.instruction == "Book it."
    assert [(step.ordinal, step.message, step.text) for step in run.steps] == [
        (0, 2, "I look."),
        (1, 6, ""),
        (2, 8, "Done."),
    ]
    calls = [each for step in run.steps for each in step.calls]
    assert [(each.ordinal, each.name, each.arguments, each.result) for each in calls] == [
        (0, "find", {"to": "SEA"}, "two flights"),
        (1, "user", None, "Mia"),
        (2, "book", {"n": 1}, "booked"),
    ]
    assert calls[1].raw == "{broken"
    assert [step.before for step in run.steps] == ["Policy.\nBook it.", "The first.", ""]


def test_a_prefix_knows_nothing_of_what_came_later() -> None:
    """Changing anything after a step was made leaves its prefix as it was."""
    for ordinal, step in enumerate(run_of(MESSAGES).steps):
        later = [
            *MESSAGES[: step.message + 1],
            *({**m, "content": "X"} for m in MESSAGES[step.message + 1 :]),
        ]
        assert run_of(later).upto(ordinal) == run_of(MESSAGES).upto(ordinal)
        assert all(each.result is None for each in run_of(MESSAGES).upto(ordinal).steps[-1].calls)


flat = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
parts = st.dictionaries(st.sampled_from(["type", "text", "id", "function", "name"]), flat)
json_values = flat | st.lists(flat | parts, max_size=3) | parts
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
        optional={"content": json_values, "tool_calls": json_values, "tool_call_id": json_values},
    ),
    max_size=6,
)


@given(messages)
def test_no_shape_of_json_raises(said: list[dict[str, Any]]) -> None:
    run = run_of(said)
    assert len(run.steps) == sum(message["role"] == "assistant" for message in said)


def test_depth_is_found_without_recursion() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    assert deep(value)
    assert not deep(json.loads("[" * 99 + "]" * 99))
