"""Messages of any shape and size become cards that stay small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stet.projects.models import Project
from stet.projects.services import task_create
from stet.traces.cards import HEAD, TOTAL, head_of, message_cards
from stet.traces.dialogue import system_in_force
from stet.traces.models import Episode
from tests.conftest import Client

DEEP = 2000


def nested() -> Any:
    value: Any = "leaf"
    for _ in range(DEEP):
        value = [value]
    return value


def card(message: Any) -> dict[str, Any]:
    (made,) = message_cards([message])["messages"]
    json.dumps(made)
    return made


def called(arguments: Any) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": arguments}}
    made = card({"role": "assistant", "content": None, "tool_calls": [call]})
    (found,) = made["calls"]
    assert found["name"] == "run"
    return dict(found["arguments"])


@pytest.mark.parametrize(
    "arguments",
    ['"\\"SELECT 1\\""', '{"a": [1, 2', "", "not JSON", "[" * DEEP, '{"x": "\u202e<img src=x>"}'],
)
def test_arguments_as_text_stay_what_they_are(arguments: str) -> None:
    assert called(arguments) == {"text": arguments, "size": len(arguments), "kind": "text"}


def test_arguments_of_any_shape_are_written_without_recursion() -> None:
    deep = called(nested())
    assert deep["text"] == "[" * DEEP + '"leaf"' + "]" * DEEP
    assert called(None) == {"text": "null", "size": 4, "kind": "json"}
    assert called({"a": [1, {"b": None}], "中": "x"})["text"] == '{"a": [1,{"b": null}],"中": "x"}'


def test_what_is_large_is_a_head_and_a_size() -> None:
    text = card({"role": "tool", "content": "x" * 20_000_000})["pieces"][0]
    assert (len(text["text"]), text["size"]) == (HEAD, 20_000_000)
    image = "data:image/png;base64," + "A" * 5_000_000
    part = {"type": "image_url", "image_url": {"url": image}}
    shown = card({"role": "user", "content": [{"type": "text", "text": "See"}, part]})["pieces"]
    assert [one["kind"] for one in shown] == ["text", "image/png"]
    assert (len(shown[1]["text"]), shown[1]["size"]) == (60, len(image))
    head, size = head_of({"rows": ["y" * 1000] * 5000}, 100)
    assert len(head) == 100
    assert size > 5_000_000


def test_many_events_share_one_budget() -> None:
    messages = [{"role": "tool", "content": "z" * 5000}] * 6700
    made = message_cards(messages)["messages"]
    assert len(made) == 6700
    assert sum(len(one["pieces"][0]["text"]) for one in made) < TOTAL + 6700 * 400


@pytest.mark.parametrize(
    "message",
    [
        None, 7, "text", [], {}, {"role": None, "content": 3}, {"role": "user", "content": {}},
        {"role": "assistant", "tool_calls": "x"}, {"role": "assistant", "tool_calls": [None, 1]},
        {"role": "assistant", "tool_calls": [{"function": "f"}], "reasoning": {"a": []}},
        {"role": "assistant", "function_call": {"name": 5}},
    ],
)  # fmt: skip
def test_no_shape_breaks_a_card(message: Any) -> None:
    assert card(message)["index"] == 0
    assert message_cards(message, message)["tools"] is not None


def test_tools_are_named() -> None:
    function = {"name": "find", "description": "Finds.", "parameters": {"type": "object"}}
    (tool,) = message_cards([], [{"type": "function", "function": function}])["tools"]
    assert (tool["name"], tool["about"]["text"]) == ("find", "Finds.")
    assert json.loads(tool["takes"]["text"]) == {"type": "object"}


def test_a_message_comes_as_a_file_as_it_was_received(
    as_annotator: Client, as_stranger: Client, episode: Episode
) -> None:
    path = f"/api/v1/episodes/{episode.pk}/messages"
    answer = as_annotator.get(f"{path}/0")
    assert json.loads(answer.content) == episode.task.messages[0]
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert as_annotator.get(f"{path}/1").status_code == 404
    assert as_stranger.get(f"{path}/0").status_code == 404


def test_the_page_does_not_carry_the_messages_twice(
    as_annotator: Client, episode: Episode, project: Project
) -> None:
    whole = as_annotator.get(f"/api/v1/episodes/{episode.pk}").json()
    brief = as_annotator.get(f"/api/v1/episodes/{episode.pk}?task=brief").json()
    assert whole.pop("task")["messages"] == episode.task.messages
    assert brief.pop("task").keys() == {"id", "external_id"}
    assert whole == brief
    assert system_in_force(episode) is None
    task_create(project=project, row={"messages": [{"role": "user", "content": "x"}]})
