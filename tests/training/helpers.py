"""Rows of a target for submissions that lie in the database."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from annotate.models import Submission
from stet.accounts.models import User
from stet.common.jobs import job_run
from stet.projects.models import Project
from training.models import Export
from training.selection import Entry
from training.selectors import trajectories
from training.services import dataset_create, export_create, export_folder
from training.targets.base import Excluded, options_of, target_get
from training.trajectory import Trajectory


def loaded(*submissions: Submission) -> list[Trajectory]:
    entries = [Entry(one.episode.task_id, one.episode_id, one.pk) for one in submissions]
    groups = trajectories(entries, datetime.now(UTC), candidates=True)
    return [one for group in groups for one in group]


def rows_of(
    target: str, *submissions: Submission, **options: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """The valid rows, and the reasons of what was left out."""
    found = target_get(target)
    made = list(found.rows(loaded(*submissions), options_of(found, options)))
    rows = [row for row in made if isinstance(row, dict)]
    for row in rows:
        found.validate(row)
    return rows, [row.reason for row in made if isinstance(row, Excluded)]


def export_of(
    project: Project,
    user: User,
    target: str = "sft",
    *,
    query: dict[str, Any] | None = None,
    watermark: datetime | None = None,
    **options: str,
) -> Export:
    """An export whose job has been done here and now."""
    dataset = dataset_create(project=project, user=user, name="all", query=query or {})
    export = export_create(
        dataset=dataset, user=user, target=target, options=options, watermark=watermark
    )
    assert export.job_id is not None
    job_run(export.job_id)
    export.refresh_from_db()
    return export


def lines_of(export: Export) -> list[dict[str, Any]]:
    """Every row of the export's JSON lines."""
    shards = sorted(export_folder(export).glob("shard-*.jsonl"))
    return [json.loads(line) for shard in shards for line in shard.read_bytes().splitlines()]
