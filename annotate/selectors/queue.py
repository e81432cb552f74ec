"""The queue and a person's own work, as they are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotate.models import Lease
from stet.accounts.roles import Role
from stet.common import sql
from stet.common.errors import Forbidden, NotFound
from stet.projects.models import Project, Task
from stet.projects.selectors import access_project
from stet.traces.models import Correction, Episode, Generation

Status = Episode.Status
# People who have a task in hand or are done with it: as many as its overlap says may.
FREE = """
t.filled_at IS NULL AND t.overlap > (
  SELECT count(*) FROM (
    SELECT e.author_id FROM traces_episode e
    WHERE e.task_id = t.id AND e.policy_id IS NOT NULL AND e.author_id <> %s
      AND e.status IN ('submitted', 'accepted', 'returned')
    UNION
    SELECT l.annotator_id FROM annotate_lease l
    WHERE l.task_id = t.id AND l.annotator_id <> %s
      AND l.released_at IS NULL AND l.expires_at > statement_timestamp()
  ) people
)
"""
LIVE = """
SELECT t.id FROM projects_task t
WHERE t.project_id = %s AND t.retired_at IS NULL AND t.flagged_at IS NULL
"""
# Imported conversations are read, not answered.
MINE_NONE = """
AND NOT EXISTS (SELECT 1 FROM traces_episode e
                WHERE e.task_id = t.id AND (e.author_id = %s OR e.policy_id IS NULL))
"""
MINE_SOME = """
AND EXISTS (SELECT 1 FROM traces_episode e
            WHERE e.task_id = t.id AND e.author_id = %s AND e.status = %s)
"""
NEW = "".join([LIVE, " AND t.gold IS NULL AND ", FREE, MINE_NONE])
OWN = "".join([LIVE, " AND (t.gold IS NOT NULL OR ", FREE, ") ", MINE_SOME])
ORDER = " ORDER BY t.priority DESC, t.id LIMIT 1 FOR UPDATE OF t"
FREES = """
SELECT ceil(extract(epoch FROM min(l.expires_at) - statement_timestamp()))
FROM annotate_lease l JOIN projects_task t ON t.id = l.task_id
WHERE t.project_id = %s AND t.retired_at IS NULL AND t.flagged_at IS NULL AND t.gold IS NULL
  AND l.annotator_id <> %s AND l.released_at IS NULL AND l.expires_at > statement_timestamp()
  AND NOT EXISTS (SELECT 1 FROM traces_episode e WHERE e.task_id = t.id AND e.author_id = %s
                  AND e.status NOT IN ('open', 'later'))
"""


def access_lease(user: Any, pk: int) -> Lease:
    """The user's own lease, or any of a project that the user owns; others do not exist."""
    lease = Lease.objects.select_related("task").filter(pk=pk).first()
    if lease is not None and lease.annotator_id != user.pk:
        try:
            access_project(user, lease.task.project_id, Role.OWNER)
        except (NotFound, Forbidden):
            lease = None
    if lease is None:
        raise NotFound(_("You hold no such lease."))
    return lease


def running(lease: Lease) -> list[Generation]:
    """What still arrives for the holder of a lease."""
    mine = Generation.objects.filter(episode__author=lease.annotator, task=lease.task)
    return list(mine.filter(ended_at__isnull=True))


def unfinished(user: Any, project: Project) -> Episode | None:
    """What the annotator should go on with: returned work first, then what is open and leased."""
    mine = Episode.objects.filter(author=user, task__project=project, task__retired_at=None)
    returned = mine.filter(status=Status.RETURNED).order_by("updated_at").first()
    if returned is not None:
        return returned
    held = Lease.objects.live().filter(annotator=user, task=OuterRef("task"))
    leased = mine.filter(Exists(held), status=Status.OPEN)
    return leased.order_by("-updated_at").first()


def task_take(user: Any, project: Project, own: str = "") -> Task | None:
    """The first task that still needs somebody, locked; None when there is none.

    ``own`` is the status of an episode that the user must have on it; without it, the user must
    have none. A task that is just being taken is passed over, unless there is no other.
    """
    query, which = (OWN, [user.pk, own]) if own else (NEW, [user.pk])
    params = [project.pk, user.pk, user.pk, *which]
    for waiting in (" SKIP LOCKED", ""):
        passed = [0]
        while True:
            found = sql.rows(f"{query} AND t.id <> ALL(%s){ORDER}{waiting}", *params, passed)
            if not found:
                break
            (pk,) = found[0]
            # Read anew under the lock: somebody may have taken it while the row was looked for.
            if sql.rows(f"{query} AND t.id = %s", *params, pk):
                return Task.objects.select_related("project").get(pk=pk)
            passed.append(pk)
    return None


def gold_take(user: Any, project: Project, policy_id: int) -> Task | None:
    """Some task with a known answer of this policy that the user never had."""
    rows = Task.objects.filter(project=project, retired_at=None, flagged_at=None)
    rows = rows.filter(gold__policy=policy_id)
    had = Episode.objects.filter(task=OuterRef("pk"), author=user)
    return rows.filter(~Exists(had)).select_related("project").order_by("?").first()


def frees_in(user: Any, project: Project) -> int | None:
    """Seconds until the next lease that may free a task for the user ends; None without one."""
    ((seconds,),) = sql.rows(FREES, project.pk, user.pk, user.pk)
    return None if seconds is None else max(1, int(seconds))


def own_work(user: Any, *statuses: str) -> QuerySet[Episode]:
    """The user's episodes of these statuses, newest first."""
    rows = Episode.objects.filter(author=user, status__in=statuses)
    rows = rows.filter(
        task__project__archived_at=None,
        task__project__memberships__user=user,
        task__project__memberships__ended_at=None,
    )
    return rows.select_related("task__project").order_by("-updated_at")


def correction_counts(episodes: Iterable[Episode]) -> dict[int, int]:
    """How many corrections each episode has; those without one are left out."""
    rows = Correction.objects.filter(episode__in=[episode.pk for episode in episodes])
    return dict(rows.values_list("episode").annotate(n=Count("pk")))
