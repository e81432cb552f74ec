"""Comments on a task, a step or tokens, with mentions."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from stet.common.models import AppendOnlyModel
from stet.traces.models import Episode


class Comment(AppendOnlyModel):
    """What somebody said; ``anchor`` says about what: level, and for a step or tokens the segment,
    absolute positions [start, end) of its path, and the quoted text.

    Replies name the first comment of their thread as ``parent``.
    """

    project = models.ForeignKey(
        "projects.Project", on_delete=models.PROTECT, related_name="comments"
    )
    task = models.ForeignKey("projects.Task", on_delete=models.PROTECT, related_name="comments")
    episode = models.ForeignKey(
        Episode, null=True, on_delete=models.PROTECT, related_name="comments"
    )
    anchor = models.JSONField()
    body = models.TextField(max_length=10_000)
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="replies")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)


class CommentMention(AppendOnlyModel):
    """A member who is named in a comment."""

    comment = models.ForeignKey(Comment, on_delete=models.PROTECT, related_name="mentions")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="mentions"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comment", "user"], name="mention_once"),
        ]


class CommentState(AppendOnlyModel):
    """A thread was resolved, or opened again; the latest row counts."""

    comment = models.ForeignKey(Comment, on_delete=models.PROTECT, related_name="states")
    resolved = models.BooleanField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
