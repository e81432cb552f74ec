"""What waits for a reviewer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from annotate.models import Submission
from stet.accounts.roles import Role
from stet.common.errors import Forbidden, NotFound
from stet.projects.models import Project
from stet.projects.selectors import access_project
from stet.traces.models import Act, Episode

Status = Episode.Status
REVIEWABLE = (Status.SUBMITTED, Status.ACCEPTED)


def review_list(user: Any, project: Project, status: str = Status.SUBMITTED) -> QuerySet[Episode]:
    """Other people's episodes of a status, what was handed in first at the top.

    Each has ``n`` and ``handed_in_at`` of its latest submission and ``corrected``, a count. What
    was imported has no submission, and is judged as a trace.
    """
    latest = Submission.objects.filter(episode=OuterRef("pk")).order_by("-n")
    rows = Episode.objects.filter(task__project=project, status=status).exclude(author=user)
    rows = rows.annotate(
        n=Subquery(latest.values("n")[:1]),
        handed_in_at=Subquery(latest.values("created_at")[:1]),
        corrected=Count("corrections"),
    )
    return (
        rows.filter(n__isnull=False).select_related("task", "author").order_by("handed_in_at", "pk")
    )


def review_next(user: Any, project: Project, after: int = 0) -> Episode | None:
    """What has waited longest; ``after`` is an episode that was passed over."""
    return review_list(user, project).exclude(pk=after).first()


def return_notes(episodes: Iterable[Episode]) -> dict[int, str]:
    """What was said when each episode was last sent back; those never sent back are left out."""
    acts = Act.objects.filter(episode__in=episodes, kind=Act.Kind.RETURN).order_by("version")
    return dict(acts.values_list("episode_id", "note"))


def may_review(user: Any, episode: Episode) -> bool:
    """Whether the user may accept the episode or send it back: a reviewer, never its author."""
    if episode.author_id == user.pk or episode.status not in REVIEWABLE:
        return False
    try:
        access_project(user, episode.task.project_id, Role.REVIEWER)
    except (NotFound, Forbidden):
        return False
    return True
