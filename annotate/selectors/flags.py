"""What people said of a task when they skipped or flagged it."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F, Q, QuerySet

from stet.projects.models import Project, Task
from stet.projects.selectors import HEAVY
from stet.traces.models import Act, Episode

SAID = Q(kind=Act.Kind.FLAG, episode__status=Episode.Status.FLAGGED) | Q(
    kind=Act.Kind.SKIP, episode__status=Episode.Status.SKIPPED
)


def complaints_of(*tasks: Task) -> QuerySet[Act]:
    """The skips and flags that count now: not taken back, and since the task was cleared."""
    pks = [task.pk for task in tasks]
    rows = Act.objects.filter(SAID, episode__task__in=pks, version=F("episode__version"))
    fresh = Q(episode__task__cleared_at=None) | Q(created_at__gt=F("episode__task__cleared_at"))
    return rows.filter(fresh).select_related("author", "episode").order_by("pk")


def flagged_tasks(project: Project, after: int = 0) -> QuerySet[Task]:
    """Tasks that wait for an owner's decision."""
    rows = Task.objects.filter(project=project, retired_at=None, flagged_at__isnull=False)
    return rows.filter(pk__gt=after).defer(*HEAVY).order_by("pk")


def by_task(acts: Iterable[Act]) -> dict[int, list[Act]]:
    found: dict[int, list[Act]] = {}
    for act in acts:
        found.setdefault(act.episode.task_id, []).append(act)
    return found
