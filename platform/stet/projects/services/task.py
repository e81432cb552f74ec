"""Tasks: added, never edited; another content is a new task that supersedes the old one."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import Conflict, StetError
from stet.projects.models import Project, Task
from stet.projects.task_rows import TaskRow, parse_row


class TaskExists(Conflict):
    code, title = "external_id_taken", gettext_lazy("This external_id names another task")


@dataclass
class Added:
    """What became of numbered rows: counts, the id per number, and the reason per bad number."""

    added: int = 0
    same: int = 0
    superseded: int = 0
    tasks: dict[int, int] = field(default_factory=dict)
    errors: list[tuple[int, StetError]] = field(default_factory=list)


def task_create(*, project: Project, row: Any, supersede: bool = False) -> Task:
    """The task of one row; the same row again gives the same task.

    Raises Invalid (422), or TaskExists (409) if ``external_id`` stands for other content.
    """
    outcome = tasks_add(project=project, rows=[(1, parse_row(row))], supersede=supersede)
    for _number, error in outcome.errors:
        raise error
    return Task.objects.get(pk=outcome.tasks[1])


@transaction.atomic
def tasks_add(
    *, project: Project, rows: list[tuple[int, TaskRow]], supersede: bool = False
) -> Added:
    """Add numbered rows in order; rows that are there already add nothing."""
    # One writer a project at a time: otherwise two imports of one file race for each id.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    names = {row.external_id for _number, row in rows}
    live = Task.objects.filter(project=project, retired_at=None, external_id__in=names)
    known = {task.external_id: task for task in live.only("external_id", "content_sha256")}
    new: list[tuple[int, Task]] = []
    place: dict[int, Task] = {}
    outcome = Added()
    for number, row in rows:
        old = known.get(row.external_id)
        if old is not None and bytes(old.content_sha256) == row.content_sha256:
            outcome.same += 1
            place[number] = old
        elif old is not None and (not supersede or old._state.adding):
            outcome.errors.append((number, TaskExists(_reason(old, row))))
        else:
            task = Task(project=project, supersedes=old, **_columns(row))
            known[row.external_id] = place[number] = task
            new.append((number, task))
    retired = [task.supersedes_id for _number, task in new if task.supersedes_id]
    if retired:
        Task.objects.filter(pk__in=retired).update(retired_at=timezone.now())
    Task.objects.bulk_create([task for _number, task in new], batch_size=500)
    outcome.superseded = len(retired)
    outcome.added = len(new) - len(retired)
    outcome.tasks = {number: task.pk for number, task in place.items()}
    return outcome


def _columns(row: TaskRow) -> dict[str, Any]:
    return {each.name: getattr(row, each.name) for each in fields(row)}


def _reason(old: Task, row: TaskRow) -> str:
    if old._state.adding:
        text = _("“%(id)s” stands earlier in this input with other content.")
    else:
        text = _(
            "“%(id)s” is a task with other content already. The task was kept as it is; "
            "import with on_conflict=supersede to replace it."
        )
    return text % {"id": row.external_id}
