"""The queue: who works on what, held by leases that the database's clock ends."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate import selectors
from annotate.models import Lease
from stet.common.errors import Conflict
from stet.policies.selectors import policy_of
from stet.projects.models import Membership, Project, Task
from stet.projects.switches import switches
from stet.traces.models import Episode
from stet.traces.services import episode_begin


class LeaseEnded(Conflict):
    code, status, title = "lease_ended", 410, gettext_lazy("This lease has ended")


@dataclass(frozen=True)
class Work:
    """A task in hand."""

    lease: Lease
    episode: Episode


def length() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)


@transaction.atomic
def task_next(*, user: Any, project: Project) -> Work | None:
    """Go on with what is unfinished, else take the next free task; None when nothing is left.

    First what came back, then what is open, then something new, then what was set aside. Two
    annotators never wait for one another; two tabs of one person do, and get the same.
    """
    mine = Membership.objects.select_for_update(no_key=True)
    mine.filter(project=project, user=user, ended_at=None).first()
    episode = selectors.unfinished(user, project)
    if episode is not None:
        return Work(lease_hold(user=user, task=episode.task), episode)
    if again := _own(user, project, Episode.Status.OPEN):
        return again
    task = _gold(user, project) or selectors.task_take(user, project)
    if task is None:
        return _own(user, project, Episode.Status.LATER)
    return Work(lease_hold(user=user, task=task), task_begin(user=user, task=task))


def _own(user: Any, project: Project, status: str) -> Work | None:
    """One's own episode whose lease ended or was given back, where nobody else took it."""
    task = selectors.task_take(user, project, own=status)
    if task is None:
        return None
    episode = Episode.objects.get(task=task, author=user, status=status)
    return Work(lease_hold(user=user, task=task), episode)


def _gold(user: Any, project: Project) -> Task | None:
    share = switches(project)["gold_share"]
    if share <= 0 or secrets.randbelow(10_000) >= share * 10_000:
        return None
    return selectors.gold_take(user, project, policy_of(project.pk).pk)


def task_begin(*, user: Any, task: Task, sampling: dict[str, Any] | None = None) -> Episode:
    """An episode of the task under the project's policy and sampling."""
    project = task.project
    return episode_begin(
        task=task,
        author=user,
        policy=policy_of(project.pk),
        sampling={**switches(project)["sampling"], **(sampling or {})},
    )


def lease_hold(*, user: Any, task: Task) -> Lease:
    """The user's lease of the task, extended or new."""
    live = Lease.objects.filter(task=task, annotator=user, round=1, released_at=None)
    if live.update(expires_at=Now() + length()):
        return live.get()
    lease = Lease.objects.create(task=task, annotator=user, expires_at=Now() + length())
    lease.refresh_from_db()
    return lease


@transaction.atomic
def lease_extend(lease: Lease) -> Lease:
    """Keep a lease that still holds; raises LeaseEnded when it does not."""
    held = Lease.objects.live().filter(pk=lease.pk)
    if not held.update(expires_at=Now() + length()):
        raise LeaseEnded(_("Your work is kept; take the task again to go on."))
    lease.refresh_from_db()
    return lease


@transaction.atomic
def lease_release(lease: Lease, by: Any) -> None:
    """Give the task back to the queue; repeating it changes nothing."""
    held = Lease.objects.filter(pk=lease.pk, released_at=None)
    held.update(released_at=Now(), released_by=by)
