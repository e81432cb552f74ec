"""The job that reads an upload of tasks."""

from __future__ import annotations

from typing import Any

from stet.common.errors import StetError
from stet.common.jobs import Claim, worker
from stet.projects.files import RowFile
from stet.projects.files.json_lines import Numbered
from stet.projects.import_run import Batch, import_run
from stet.projects.models import Project
from stet.projects.services import tasks_add
from stet.projects.services.imports import TASKS
from stet.projects.task_rows import TaskRow, parse_row


@worker(TASKS)
def import_tasks(claim: Claim) -> dict[str, Any]:
    """Add the tasks of an upload."""
    params = claim.job.params
    supersede = params["on_conflict"] == "supersede"

    def add(project: Project, rows: list[Numbered]) -> Batch:
        good: list[tuple[int, TaskRow]] = []
        bad: list[tuple[int, StetError]] = []
        for line, value, _size in rows:
            try:
                if isinstance(value, StetError):
                    raise value
                good.append((line, parse_row(value)))
            except StetError as error:
                bad.append((line, error))
        outcome = tasks_add(project=project, rows=good, supersede=supersede)
        counts = {
            "added": outcome.added,
            "same": outcome.same,
            "superseded": outcome.superseded,
        }
        return Batch(counts, [*bad, *outcome.errors])

    return import_run(claim, lambda path: RowFile(path, params["format"]), add)
