"""Questions, comments and what came back, as JSON documents."""

from __future__ import annotations

from typing import Any

from annotate.models import Comment, Question, Submission
from annotate.services.comment import may_resolve
from stet.accounts.models import User
from stet.projects.models import Project
from stet.projects.selectors import member_list
from stet.traces.models import Act, Episode, Signal

Document = dict[str, Any]


def question_document(question: Question) -> Document:
    return {
        "id": question.pk,
        "key": question.key,
        "version": question.version,
        "kind": question.kind,
        "label": question.label,
        "help": question.help,
        "options": question.options,
        "min": question.min,
        "max": question.max,
        "min_label": question.min_label,
        "max_label": question.max_label,
        "required": question.required,
        "condition": question.condition,
        "hotkey": question.hotkey or None,
        "position": question.position,
    }


def person_document(user: User) -> Document:
    return {"id": user.pk, "username": user.username, "name": str(user)}


def comment_document(
    comment: Comment, user: Any, reviewer: bool, people: dict[int, User]
) -> Document:
    resolver = people.get(getattr(comment, "resolver", None) or 0)
    resolved = getattr(comment, "resolved", False)
    return {
        "id": comment.pk,
        "project": comment.project_id,
        "task": comment.task_id,
        "episode": comment.episode_id,
        "anchor": comment.anchor,
        "body": comment.body,
        "author": person_document(comment.author),
        "mentions": [person_document(row.user) for row in comment.mentions.all()],
        "parent": comment.parent_id,
        "created_at": comment.created_at,
        "resolved_at": getattr(comment, "resolved_on", None) if resolved else None,
        "resolved_by": person_document(resolver) if resolved and resolver else None,
        "can_resolve": may_resolve(user, comment, reviewer),
    }


def signal_document(signal: Signal) -> Document:
    """A signal of ``signal_list``, with the latest decision about it."""
    decision = getattr(signal, "decision", None)
    span = signal.span
    return {
        "id": signal.pk,
        "project": signal.project_id,
        "episode": signal.episode_id,
        "span": {
            "segment": str(span.segment_id),
            "level": span.level,
            "start": span.start,
            "end": span.end,
            "ordinal": span.ordinal,
        },
        "kind": signal.kind,
        "value": signal.value,
        "evidence": signal.evidence,
        "source": signal.source,
        "version": signal.version,
        "key": signal.key,
        "author": signal.author_id,
        "created_at": signal.created_at,
        "review": decision
        and {
            "decision": decision,
            "by": getattr(signal, "decided_by", None),
            "at": getattr(signal, "decided_at", None),
            "comment": getattr(signal, "decided_why", ""),
            "replacement": getattr(signal, "replacement", None),
        },
    }


def members_document(project: Project) -> list[Document]:
    rows = member_list(project).order_by("user__username")
    return [person_document(row.user) for row in rows]


def returned_document(episode: Episode) -> Document | None:
    """The latest return of an episode that was not handed in again since; else None."""
    ends = (Act.Kind.RETURN, Act.Kind.SUBMIT, Act.Kind.ACCEPT)
    acts = Act.objects.filter(episode=episode, kind__in=ends).select_related("author")
    last = acts.order_by("-version").first()
    if last is None or last.kind != Act.Kind.RETURN:
        return None
    handed_in = Submission.objects.filter(episode=episode).order_by("-n").first()
    return {
        "comment": last.note,
        "by": person_document(last.author),
        "at": last.created_at,
        "n": handed_in.n if handed_in else 0,
        "head": {"segment": str(handed_in.head_segment_id), "length": handed_in.head_length}
        if handed_in
        else None,
    }
