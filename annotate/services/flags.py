"""Tasks that people skip or flag: when they leave the queue, and how they come back."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from annotate.selectors.flags import complaints_of
from stet.projects.models import Task
from stet.projects.switches import switches
from stet.traces.models import Episode


def flags_look(episode: Episode) -> None:
    """Take the task out of the queue if it was flagged or skipped often enough, else put it in."""
    task = Task.objects.select_for_update(no_key=True).get(pk=episode.task_id)
    kinds = [act.kind for act in complaints_of(task)]
    skips = switches(task.project)["skips_to_flag"]
    flagged = "flag" in kinds or kinds.count("skip") >= skips
    if flagged != (task.flagged_at is not None):
        Task.objects.filter(pk=task.pk).update(flagged_at=Now() if flagged else None)


@transaction.atomic
def task_put_back(*, task: Task) -> None:
    """Back to the queue: what was said of it so far counts no longer. Who said it never sees it."""
    Task.objects.filter(pk=task.pk).update(flagged_at=None, cleared_at=Now())


@transaction.atomic
def task_retire(*, task: Task) -> None:
    """Out of the queue for good; what was done on it stays."""
    Task.objects.filter(pk=task.pk, retired_at=None).update(retired_at=Now())
