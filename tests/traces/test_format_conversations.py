"""Conversations arrive as they were written, whatever surrounds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stet.traces.formats.base import Conversation, LineError, detect_format, formats
from stet.traces.formats.openai_messages import FORMAT as OPENAI
from stet.traces.formats.plain_chat import FORMAT as PLAIN

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
AIRLINE = DATA / "agent-traces-airline.jsonl"
needs_data = pytest.mark.skipif(not AIRLINE.exists(), reason="the shared agent traces are not here")


def one(read: Any) -> Conversation:
    (item,) = list(read)
    assert isinstance(item, Conversation), item
    return item


@needs_data
def test_real_agent_traces_arrive_whole() -> None:
    data = AIRLINE.read_bytes()
    assert detect_format(data[:65536]) is OPENAI
    read = list(OPENAI.read(data))
    rows = [json.loads(line) for line in data.splitlines()]
    assert len(read) == len(rows) == 100
    for item, row in zip(read, rows, strict=True):
        assert isinstance(item, Conversation)
        assert item.messages == row["messages"]
        assert [list(message) for message in item.messages] == [list(m) for m in row["messages"]]
        assert item.external_id == row["id"]
        assert item.tools is None
        expected = {key: row[key] for key in ("task_id", "trial", "reward", "expected_actions")}
        assert item.metadata == expected


@needs_data
def test_real_agent_traces_take_their_policy_from_the_folder() -> None:
    with AIRLINE.open("rb") as stream:
        read = list(OPENAI.read(stream, files=DATA))
    policy = (DATA / "airline-policy.md").read_text(encoding="utf-8")
    assert {item.messages[0]["content"] for item in read if isinstance(item, Conversation)} == {
        policy
    }


@needs_data
def test_real_agent_traces_with_damage_lose_only_the_damaged_lines() -> None:
    lines = AIRLINE.read_bytes().splitlines()
    lines[3] = lines[3][: len(lines[3]) // 2]
    lines[50] = lines[50].replace(b'"role": "user"', b'"role": 3', 1)
    read = list(OPENAI.read(b"\n".join(lines)))
    assert [item.number for item in read if isinstance(item, LineError)] == [4, 51]
    assert sum(isinstance(item, Conversation) for item in read) == 98


def test_tool_calls_parts_and_unknown_keys_are_kept() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    messages = [
        {"role": "developer", "content": ""},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": " \t\r\n👩‍🔬\ufeff"},
                {"type": "image_url", "image_url": {"url": "data:,"}},
            ],
            "weight": 0,
        },
        {
            "content": None,
            "role": "assistant",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": '}},
                {"id": "2", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}},
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "Error: no JSON"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]},
    ]
    row = {"id": 7, "messages": messages, "tools": tools, "score": 10**30, "nested": {"a": [None]}}
    item = one(OPENAI.read(json.dumps(row).encode()))
    assert item.messages == messages
    assert item.tools == tools
    assert item.external_id == "7"
    assert item.metadata == {"score": 10**30, "nested": {"a": [None]}}


PLAIN_ROWS: list[tuple[Any, list[tuple[str, str]], dict[str, Any]]] = [
    ([{"role": "user", "content": "q"}], [("user", "q")], {}),
    (
        {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": " a\n"}]},
        [("user", "q"), ("assistant", " a\n")],
        {},
    ),
    (
        {
            "id": "x",
            "system": "s",
            "conversations": [{"role": "user", "content": "q"}],
            "lang": "zh",
        },
        [("system", "s"), ("user", "q")],
        {"lang": "zh"},
    ),
    ({"prompt": "q", "completion": "a"}, [("user", "q"), ("assistant", "a")], {}),
    ({"question": "q", "answer": "a", "n": 1}, [("user", "q"), ("assistant", "a")], {"n": 1}),
]


@pytest.mark.parametrize(("row", "said", "metadata"), PLAIN_ROWS)
@pytest.mark.parametrize("layout", ["line", "lines", "pretty"])
def test_plain_chats_of_each_kind_are_read(
    row: Any, said: list[tuple[str, str]], metadata: dict[str, Any], layout: str
) -> None:
    text = json.dumps(row, indent=2 if layout == "pretty" else None).encode()
    data = text + b"\n" + text if layout == "lines" else text
    assert [known.name for known in formats().values() if known.detect(data)] == ["plain-chat"]
    for item in PLAIN.read(data):
        assert isinstance(item, Conversation)
        assert [(turn["role"], turn["content"]) for turn in item.messages] == said
        assert item.metadata == metadata


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"conversations": []}, "empty"),
        ({"conversations": "x"}, "not a list"),
        ({"conversations": [{"from": "wizard", "value": "x"}]}, "wizard"),
        ({"conversations": [{"from": "human"}]}, "no content"),
        ({"conversations": [3]}, "not an object"),
        ({"prompt": "x"}, "no conversation"),
        ({"prompt": 3, "response": "x"}, "neither text"),
        (3, "neither an object"),
    ],
)
def test_a_broken_plain_chat_is_named(row: Any, reason: str) -> None:
    (error,) = PLAIN.read(json.dumps(row).encode())
    assert isinstance(error, LineError)
    assert reason in error.reason


def test_a_turn_keeps_what_else_it_says() -> None:
    row = {"conversations": [{"from": "human", "value": "x", "weight": 0}]}
    assert one(PLAIN.read(json.dumps(row).encode())).messages == [
        {"role": "user", "content": "x", "weight": 0}
    ]
