"""Counts and rows that the pages of projects show, few queries whatever the size."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.errors import Invalid
from stet.projects.models import Project, Task
from stet.projects.selectors import HEAVY, membership_list

STATES = {
    "open": _("open"),
    "later": _("set aside"),
    "skipped": _("skipped"),
    "flagged": _("flagged"),
    "submitted": _("submitted"),
    "accepted": _("accepted"),
    "returned": _("returned"),
}
OPEN = ("open", "later", "returned")
HANDED_IN = ("submitted", "accepted")
PAGE = 50


def project_rows(user: User) -> list[dict[str, Any]]:
    """The person's projects with their counts: one query for them, one for each count."""
    mine = list(membership_list(user).order_by("project__name", "pk"))
    projects = Project.objects.filter(pk__in=[row.project_id for row in mine])
    live = Count("tasks", filter=Q(tasks__retired_at__isnull=True))
    tasks = dict(projects.annotate(n=live).values_list("pk", "n"))
    own = Q(tasks__episodes__policy__isnull=False)
    episodes = projects.annotate(
        open_n=Count("tasks__episodes", filter=own & Q(tasks__episodes__status__in=OPEN)),
        done_n=Count("tasks__episodes", filter=own & Q(tasks__episodes__status__in=HANDED_IN)),
    )
    counts = {row["pk"]: row for row in episodes.values("pk", "open_n", "done_n")}
    corrections = Count("tasks__episodes__corrections")
    fixes = dict(projects.annotate(n=corrections).values_list("pk", "n"))
    return [
        {
            "project": row.project,
            "role": Role(row.role).label,
            "tasks": tasks[row.project_id],
            "open": counts[row.project_id]["open_n"],
            "submitted": counts[row.project_id]["done_n"],
            "corrections": fixes[row.project_id],
        }
        for row in mine
    ]


def project_counts(project: Project) -> dict[str, int]:
    """Tasks, open and handed-in episodes (not counting foreign traces), corrections."""
    tasks = Task.objects.filter(project=project)
    own = Q(episodes__policy__isnull=False)
    states = tasks.aggregate(
        open=Count("episodes", filter=own & Q(episodes__status__in=OPEN)),
        submitted=Count("episodes", filter=own & Q(episodes__status__in=HANDED_IN)),
    )
    fixes = tasks.aggregate(n=Count("episodes__corrections"))["n"]
    return {"tasks": tasks.filter(retired_at=None).count(), "corrections": fixes, **states}


def cursor_of(text: str) -> int:
    """The task id after which a page begins; raises Invalid for anything else."""
    if text and not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Invalid(code="bad_cursor")
    return int(text or 0)


def task_rows(
    project: Project, after: int, only: User | None, start: str = ""
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of tasks with the newest episode of each, and where the next page begins.

    ``only``: whose episodes count, for a person who may not see those of others. ``start``: what
    the names of the tasks begin with.
    """
    tasks = Task.objects.filter(project=project, retired_at=None, pk__gt=after)
    if start:
        tasks = tasks.filter(external_id__startswith=start)
    rows = list(tasks.defer(*HEAVY).order_by("pk")[: PAGE + 1])
    shown = rows[:PAGE]
    newest = _newest_episodes(Task.objects.filter(pk__in=[task.pk for task in shown]), only)
    table = []
    for task in shown:
        episode = newest.get(task.pk, {})
        table.append(
            {
                "id": task.pk,
                "title": str(task),
                "external_id": task.external_id,
                "state": episode.get("status", ""),
                "corrections": episode.get("corrections", 0),
                "updated_at": episode.get("updated_at", task.created_at),
                "episode_id": episode.get("id"),
            }
        )
    return table, str(shown[-1].pk) if len(rows) > PAGE else None


def _newest_episodes(tasks: QuerySet[Task], only: User | None) -> dict[int, dict[str, Any]]:
    """By task: id, status, change and number of corrections of its newest episode."""
    mine = Q(episodes__author=only) if only else Q()
    newest = tasks.annotate(newest=Max("episodes__pk", filter=mine)).filter(newest__isnull=False)
    rows = (
        Task.objects.filter(pk__in=newest.values("pk"), episodes__pk__in=newest.values("newest"))
        .annotate(
            episode_id=F("episodes__pk"),
            status=F("episodes__status"),
            changed=F("episodes__updated_at"),
            corrections=Count("episodes__corrections"),
        )
        .values("pk", "episode_id", "status", "changed", "corrections")
    )
    return {
        row["pk"]: {
            "id": row["episode_id"],
            "status": row["status"],
            "updated_at": row["changed"],
            "corrections": row["corrections"],
        }
        for row in rows
    }
