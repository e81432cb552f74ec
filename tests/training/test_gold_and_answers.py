"""Answers go along with rollouts; tasks with a known answer stay out unless they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.utils import timezone

from annotate.models import Submission
from stet.accounts.models import User
from stet.projects.models import Project, Task
from tests.training.factories import Tree
from tests.training.helpers import export_of, lines_of, rows_of
from tests.training.test_exports_are_snapshots import answered

pytestmark = pytest.mark.django_db


def test_a_rollout_says_what_the_annotator_answered(grow: Callable[..., Tree]) -> None:
    tree = answered(grow)
    plain = tree.submit()
    given = {"tone": "good", "why": ["rude"], "stars": 3}
    asked = Submission.objects.create(
        episode=plain.episode,
        n=2,
        head_segment=plain.head_segment,
        head_length=plain.head_length,
        answers=given,
        author=plain.author,
    )
    rows, _ = rows_of("rollouts", asked, branches="all")
    assert orjson.loads(rows[0]["answers"]) == given
    assert {row["answers"] for row in rows if not row["accepted"]} == {None}
    assert rows_of("rollouts", plain)[0][0]["answers"] == "{}"


def test_what_people_were_tested_on_is_left_out(
    grow: Callable[..., Tree], project: Project, researcher: User, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    for _ in range(2):
        answered(grow).submit()
    before = timezone.now()
    task = Task.objects.order_by("pk").first()
    assert task is not None
    task.gold = {"at": before.isoformat(), "generation": "x", "fault": None, "answers": {}}
    task.save()
    left = lines_of(export_of(project, researcher))
    assert [row["external_id"] for row in left] != []
    assert task.external_id not in [row["external_id"] for row in left]
    both = lines_of(export_of(project, researcher, query={"gold": True}))
    assert len(both) == len(left) + 1
