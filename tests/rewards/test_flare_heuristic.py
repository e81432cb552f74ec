"""The baseline diagnoses, on runs made for each class and on real ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rewards.flare.taxonomy import ADVICE, ErrorClass, Level, level_of
from rewards.sources.flare_heuristic import flare_heuristic
from rewards.verdict import Trace
from stet.traces.kinds import value_fault
from stet.traces.steps import Run, run_of

TOOLS = [
    {
        "type": "function",
        "function": {"name": "find", "parameters": {"type": "object", "required": ["place"]}},
    },
    {"type": "function", "function": {"name": "book_seat", "parameters": {"type": "object"}}},
]
ASK = {"role": "user", "content": "Book seat A1234 to Rome."}


def says(*calls: tuple[str, str], text: str = "") -> dict[str, Any]:
    made = [
        {"id": f"{name}{at}", "function": {"name": name, "arguments": raw}}
        for at, (name, raw) in enumerate(calls)
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text}


def classes(*messages: dict[str, Any]) -> list[str]:
    run = run_of([ASK, *messages], TOOLS)
    found = list(flare_heuristic(Trace({}, "", None, run)))
    assert [one.step for one in found] == list(range(len(run.steps)))
    for one in found:
        assert not value_fault(one.kind, one.value)
        assert level_of(one.value["risk"]) == one.value["level"]
    return [one.value["class"] for one in found]


FIND = ("find", '{"place": "Rome"}')
LOST = "Error: no such place"
BOOK = ("book_seat", '{"seat": "A1234"}')


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([says(FIND), result("two"), says(BOOK), result("done"), says(text="Done.")], ["none"] * 3),
        ([says(("find", "{broken"))], ["bad_arguments"]),
        ([says(("find", "{}"))], ["bad_arguments"]),
        ([says(("lose", "{}"))], ["bad_arguments"]),
        ([says(FIND), result("two"), says(FIND)], ["none", "repeated_call"]),
        ([says(FIND), result("x"), says(BOOK), result("ok"), says(FIND)], ["none"] * 3),
        ([says(BOOK)], ["acted_without_looking"]),
        (
            [says(FIND), result("two"), says(("book_seat", '{"seat": "Z9999"}'))],
            ["none", "unfounded_argument"],
        ),
        (
            [says(FIND), result(LOST), says(text="Done.")],
            ["none", "ignored_failure"],
        ),
        ([says(FIND), result(LOST), says(BOOK)], ["none", "none"]),
    ],
)
def test_each_class(messages: list[dict[str, Any]], expected: list[str]) -> None:
    assert classes(*messages) == expected


def test_nothing_new_for_some_steps_is_no_progress() -> None:
    messages = []
    for at in range(6):
        messages += [says(("find", json.dumps({"place": "abcdef"[at]}))), result("nothing")]
    assert classes(*messages)[-1] == "no_progress"


def test_a_talk_without_tools_is_not_judged() -> None:
    run = run_of([ASK, {"role": "assistant", "content": "Yes."}])
    assert list(flare_heuristic(Trace({}, "", None, run))) == []
    assert list(flare_heuristic(Trace({}, ""))) == []


def test_nothing_of_later_steps_is_used() -> None:
    messages = [says(FIND), result("two"), says(FIND), result("Error"), says(text="Done.")]
    run = run_of([ASK, *messages], TOOLS)
    whole = [one.value for one in flare_heuristic(Trace({}, "", None, run))]
    for ordinal in range(len(run.steps)):
        seen: Run = run.upto(ordinal)
        assert [one.value for one in flare_heuristic(Trace({}, "", None, seen))][-1] == whole[
            ordinal
        ]


def test_every_class_has_its_advice_and_every_risk_a_level() -> None:
    assert set(ADVICE) == set(ErrorClass)
    assert [level_of(risk) for risk in (0, 0.3, 0.6, 1)] == list(Level)
