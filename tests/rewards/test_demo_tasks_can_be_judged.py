"""The demo's tasks: well formed, judged right on a good answer, and failed on an empty one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rewards.registry import judge
from rewards.sources.properties import check_errors
from rewards.verdict import all_hold
from stet.projects.demo import demo_guideline, demo_tasks

TASKS = demo_tasks()
GOOD = json.loads((Path(__file__).parent / "demo_answers.json").read_text(encoding="utf-8"))
MEMBERS = {"external_id", "messages", "metadata", "checks", "limits"}


def named(task: dict[str, Any]) -> str:
    return str(task["external_id"])


def test_there_are_enough_of_both_languages() -> None:
    languages = Counter(task["metadata"]["language"] for task in TASKS)
    assert len(TASKS) >= 48
    assert languages["zh"] >= 14
    assert set(languages) == {"en", "zh"}


def test_the_identities_are_unique() -> None:
    assert len(set(map(named, TASKS))) == len(TASKS)
    assert set(GOOD) == set(map(named, TASKS))


@pytest.mark.parametrize("task", TASKS, ids=named)
def test_a_task_is_well_formed(task: dict[str, Any]) -> None:
    assert set(task) - {"reference"} == MEMBERS
    assert set(task["metadata"]) == {"title", "language", "topic"}
    assert 60 <= task["limits"]["max_tokens"] <= 200
    assert task["messages"][-1]["role"] == "user"
    assert all(message["content"].strip() for message in task["messages"])
    assert task["checks"]
    assert check_errors(task["checks"]) == []


@pytest.mark.parametrize("task", TASKS, ids=named)
def test_a_good_answer_passes_and_an_empty_or_rambling_one_does_not(task: dict[str, Any]) -> None:
    assert all_hold(judge(task, GOOD[named(task)])) is True
    assert all_hold(judge(task, "")) is False
    assert all_hold(judge(task, "Sure! Here is a thing that was not asked for. " * 20)) is False


def test_some_tasks_have_a_system_message_and_some_earlier_turns() -> None:
    shapes = [tuple(message["role"] for message in task["messages"]) for task in TASKS]
    assert sum(shape[0] == "system" for shape in shapes) >= 3
    assert sum("assistant" in shape for shape in shapes) >= 2


def test_the_guideline_is_there_in_both_languages() -> None:
    assert demo_guideline("en").startswith("# ")
    assert demo_guideline("zh").startswith("# ")
