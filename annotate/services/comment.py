"""Comments: said once, resolved and opened again by further rows."""

from __future__ import annotations

import re
from pathlib import Path as Folder
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Comment, CommentMention, CommentState
from annotate.selectors.comments import access_comment, is_reviewer
from stet.accounts.models import User
from stet.common.changes import tell_changed
from stet.common.errors import Forbidden, Invalid, NotFound
from stet.policies.models import PolicyVersion
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project, Task
from stet.traces.models import Episode
from stet.traces.selectors import access_episode, path_found

NAME = re.compile(r"(?<![\w@])@([\w.@+-]{1,150})")


class QuoteMismatch(Invalid):
    code, title = "quote_mismatch", gettext_lazy("The text there is another one")


@transaction.atomic
def comment_create(
    *,
    user: Any,
    project: Project,
    task_id: int,
    episode_id: int | None,
    anchor: dict[str, Any],
    body: str,
    parent_id: int | None = None,
) -> Comment:
    """Say something of a task, a step or tokens; ``@name`` of a member is a mention.

    Raises QuoteMismatch, NotFound for what the person may not see.
    """
    parent = access_comment(user, parent_id) if parent_id else None
    if parent is not None:
        first = parent.parent or parent
        if (first.project_id, first.task_id, first.episode_id) != (
            project.pk,
            task_id,
            episode_id,
        ):
            raise Invalid(_("A reply is about the same task and answer. Nothing was kept."))
        parent, anchor = first, first.anchor
    else:
        _visible(user, project, task_id, episode_id)
        anchor = _anchor(anchor, task_id, episode_id)
    comment = Comment.objects.create(
        project=project,
        task_id=task_id,
        episode_id=episode_id,
        anchor=anchor,
        body=body,
        parent=parent,
        author=user,
    )
    people = _named(project, body, user)
    CommentMention.objects.bulk_create(
        CommentMention(comment=comment, user=person) for person in people
    )
    _tell(comment)
    return comment


@transaction.atomic
def comment_state(*, user: Any, comment: Comment, resolved: bool) -> None:
    """Resolve a thread or open it again; saying the same again changes nothing."""
    if comment.parent_id is not None:
        raise Invalid(_("A thread is resolved at its first comment. Nothing was changed."))
    if not may_resolve(user, comment):
        raise Forbidden(_("Its author, the author of the answer or a reviewer may do this."))
    Project.objects.select_for_update(no_key=True).get(pk=comment.project_id)
    last = comment.states.order_by("-pk").first()
    if (last is not None and last.resolved) != resolved:
        CommentState.objects.create(comment=comment, resolved=resolved, author=user)
        _tell(comment)


def _tell(comment: Comment) -> None:
    if comment.episode_id is not None:
        tell_changed("comments", comment.episode_id)


def may_resolve(user: Any, comment: Comment, reviewer: bool | None = None) -> bool:
    """The author, the author of the answer, and reviewers."""
    if comment.parent_id is not None:
        return False
    own = comment.episode is not None and comment.episode.author_id == user.pk
    if own or comment.author_id == user.pk:
        return True
    return is_reviewer(user, comment.project_id) if reviewer is None else reviewer


def _visible(user: Any, project: Project, task_id: int, episode_id: int | None) -> None:
    if episode_id is not None:
        episode = access_episode(user, episode_id)
        if episode.task_id != task_id or episode.task.project_id != project.pk:
            raise NotFound(_("There is no such episode of this task."))
        return
    task = Task.objects.filter(pk=task_id, project=project)
    own = Episode.objects.filter(task_id=task_id, author=user)
    if not task.exists() or not (is_reviewer(user, project.pk) or own.exists()):
        raise NotFound(_("There is no such task in your projects."))


def _anchor(anchor: dict[str, Any], task_id: int, episode_id: int | None) -> dict[str, Any]:
    """The anchor as it is stored; raises QuoteMismatch if the text there is not the quote."""
    if anchor["level"] == "task":
        return {"level": "task"}
    missing = [name for name in ("segment", "start", "end", "quote") if name not in anchor]
    if missing or episode_id is None:
        errors = [{"field": f"anchor.{name}", "detail": _("is missing")} for name in missing]
        raise Invalid(_("A step or tokens are of an answer: say which, and where."), errors=errors)
    path = path_found(anchor["segment"])
    seen = path is not None and (
        path.tip.segment.task_id == task_id and path.tip.segment.episode_id in (None, episode_id)
    )
    if path is None or not seen:
        raise NotFound(_("There is no such segment; while it arrives it takes no comment."))
    start, end = anchor["start"], anchor["end"]
    text = _text(path.ids[start:end], path.root.tokenizer_sha256) if end <= path.length else None
    if not start < end or text != anchor["quote"]:
        raise QuoteMismatch(
            _("Between tokens %(start)d and %(end)d stands “%(text)s”. The comment was not kept.")
            % {"start": start, "end": end, "text": (text or "")[:200]},
            text=text,
        )
    return {
        "level": anchor["level"],
        "segment": str(anchor["segment"]),
        "start": start,
        "end": end,
        "quote": anchor["quote"],
    }


def _text(ids: Any, sha256: str) -> str | None:
    policy = PolicyVersion.objects.filter(tokenizer_sha256=sha256).first()
    return load_tokenizer(Folder(policy.tokenizer_dir)).text_of(ids) if policy else None


def _named(project: Project, body: str, author: Any) -> list[User]:
    names = {found.rstrip(".") for found in NAME.findall(body)} | set(NAME.findall(body))
    members = User.objects.filter(
        memberships__project=project, memberships__ended_at=None, username__in=names
    )
    return list(members.exclude(pk=author.pk).order_by("pk"))
