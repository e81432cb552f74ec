"""Comments: who sees which, and what of a thread is resolved."""

from __future__ import annotations

from typing import Any

from django.db.models import BooleanField, F, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotate.models import Comment, CommentMention, CommentState
from stet.accounts.roles import Role
from stet.common.errors import NotFound
from stet.projects.models import Membership


def comment_list(user: Any, project_id: int) -> QuerySet[Comment]:
    """The comments of a project that a member may see, each with ``resolved``.

    A reviewer sees all; an annotator those on own episodes, own threads, and where they are named.
    """
    rows = _with_state(Comment.objects.filter(project_id=project_id))
    if is_reviewer(user, project_id):
        return rows
    mine = Q(episode__author=user) | Q(author=user) | Q(pk__in=_named(user))
    visible = Comment.objects.filter(mine, project_id=project_id).annotate(
        thread=Coalesce("parent_id", "pk")
    )
    threads = visible.values("thread")
    return rows.filter(Q(pk__in=threads) | Q(parent__in=threads))


def is_reviewer(user: Any, project_id: int) -> bool:
    reviewing = Membership.objects.filter(role__in=Role.REVIEWER.at_least(), ended_at=None)
    return reviewing.filter(project_id=project_id, user=user).exists()


def access_comment(user: Any, pk: int) -> Comment:
    """A comment that the user may see; anybody else learns nothing of it."""
    found = Comment.objects.filter(pk=pk).first() if 0 < pk < 2**63 else None
    if found is not None and member_of(user, found.project_id):
        seen = comment_list(user, found.project_id).filter(pk=pk).first()
        if seen is not None:
            return seen
    raise NotFound(_("There is no such comment in your projects."))


def member_of(user: Any, project_id: int) -> bool:
    mine = Membership.objects.filter(ended_at=None, project__archived_at=None)
    return mine.filter(project_id=project_id, user=user).exists()


def mention_list(user: Any) -> QuerySet[Comment]:
    """Comments that name the user, in projects of theirs, unresolved threads first."""
    mine = Membership.objects.filter(user=user, ended_at=None, project__archived_at=None)
    rows = _with_state(Comment.objects.filter(project__in=mine.values("project")))
    return rows.filter(pk__in=_named(user)).order_by(F("resolved").asc(), "-pk")


def _named(user: Any) -> QuerySet[Any]:
    return CommentMention.objects.filter(user=user).values("comment")


def _with_state(rows: QuerySet[Comment]) -> QuerySet[Comment]:
    states = CommentState.objects.filter(comment=Coalesce(OuterRef("parent_id"), OuterRef("pk")))
    latest = states.order_by("-pk")
    return (
        rows.annotate(
            resolved=Coalesce(
                Subquery(latest.values("resolved")[:1]),
                Value(False),
                output_field=BooleanField(),
            ),
            resolved_on=Subquery(latest.values("created_at")[:1]),
            resolver=Subquery(latest.values("author_id")[:1]),
        )
        .select_related("author", "episode")
        .prefetch_related(
            Prefetch("mentions", CommentMention.objects.select_related("user").order_by("pk"))
        )
    )
