"""Traces that the demo brings or is given by a path, as numbered items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from stet.common.errors import Invalid, StetError
from stet.projects import demo
from stet.projects.files.json_lines import Numbered, json_rows
from stet.traces.foreign_file import TraceFile
from stet.traces.formats.base import Conversation, Item

Numbers = Iterator[tuple[int, Item]]
NOT_MODELS = ("question", "ground_truth")


def demo_runs() -> Numbers:
    """The agent runs of the demo's own world."""
    for number, row in enumerate(demo.demo_agent_runs(), 1):
        yield (
            number,
            Conversation(
                external_id=row["external_id"],
                messages=row["messages"],
                tools=row["tools"],
                metadata=row["metadata"],
            ),
        )


def trace_items(path: Path) -> Numbers:
    """The traces of a file of any known format; ``@file:NAME`` is looked up beside it."""
    yield from good(TraceFile(_there(path), "auto", files=path.parent))


def math_items(path: Path) -> Numbers:
    """Each model's solution of each problem, with whether it is correct.

    A row holds ``question``, ``ground_truth`` and, for each model, ``is_correct`` and ``solution``.
    """
    with _there(path).open("rb") as file:
        for number, row in good(json_rows(file)):
            for model in sorted(set(row) - set(NOT_MODELS)):
                yield number, _solution(number, row, model)


def _solution(number: int, row: dict[str, Any], model: str) -> Conversation:
    question, solution = str(row["question"]), row[model]
    return Conversation(
        external_id=f"math-{number:04d}-{model}",
        messages=[
            {"role": "user", "content": question},
            {"role": "assistant", "content": str(solution["solution"])},
        ],
        metadata={
            "title": f"{question[:60]} · {model}",
            "model": model,
            "is_correct": bool(solution["is_correct"]),
            "ground_truth": row["ground_truth"],
        },
    )


def good(rows: Iterator[Numbered] | TraceFile) -> Iterator[tuple[int, Any]]:
    """The rows that could be read; the first that could not be ends it."""
    for number, value, _size in rows:
        if isinstance(value, StetError):
            raise Invalid(_("Line %(line)d: %(fault)s") % {"line": number, "fault": value.detail})
        yield number, value


def _there(path: Path) -> Path:
    if not path.is_file():
        raise Invalid(_("There is no file %(path)s.") % {"path": path})
    return path
