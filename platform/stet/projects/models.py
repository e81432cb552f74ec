"""Projects, members, guidelines and tasks."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.models import AppendOnlyModel


class ProjectQuerySet(models.QuerySet["Project"]):
    def for_member(self, user: User, role: Role = Role.ANNOTATOR) -> ProjectQuerySet:
        """The projects in which ``user`` has at least ``role``."""
        return self.filter(
            archived_at__isnull=True,
            memberships__user=user,
            memberships__ended_at__isnull=True,
            memberships__role__in=role.at_least(),
        )


class Project(models.Model):
    """The border of permission. ``settings`` holds switches, each with a default in code."""

    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, max_length=4000)
    settings = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True)

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a project; it ends, it is not deleted."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=12, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user"],
                condition=Q(ended_at__isnull=True),
                name="membership_one_live",
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]


class Guideline(AppendOnlyModel):
    """One version of a project's guidelines, in Markdown."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField(max_length=100_000)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="guideline_version_once"),
        ]


class Task(models.Model):
    """What is asked. Frozen by its first episode; a change makes a new task that supersedes it.

    ``gold``: what is known to be right of its answer; owners alone may learn that there is such.
    ``flagged_at``: out of the queue until an owner decides; ``cleared_at``: what was said of the
    task before this counts no longer. ``filled_at``: it has all its answers, so that the queue
    need not count them.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tasks")
    external_id = models.CharField(max_length=200)
    content_sha256 = models.BinaryField(max_length=32)
    messages = models.JSONField()
    tools = models.JSONField(null=True)
    reference = models.JSONField(null=True)
    checks = models.JSONField(default=list)
    limits = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    overlap = models.PositiveSmallIntegerField(default=1)
    priority = models.IntegerField(default=0)
    frozen_at = models.DateTimeField(null=True)
    supersedes = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    retired_at = models.DateTimeField(null=True)
    gold = models.JSONField(null=True)
    flagged_at = models.DateTimeField(null=True)
    cleared_at = models.DateTimeField(null=True)
    filled_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "external_id"],
                condition=Q(retired_at__isnull=True),
                name="task_external_id_once",
            ),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="task_overlap_positive"),
        ]
        indexes = [
            models.Index(
                fields=["project", "-priority", "id"],
                condition=Q(retired_at__isnull=True),
                name="task_queue",
            ),
            models.Index(
                fields=["project", "-priority", "id"],
                condition=Q(retired_at=None, filled_at=None, flagged_at=None, gold__isnull=True),
                name="task_free",
            ),
        ]

    def __str__(self) -> str:
        return str(self.metadata.get("title") or self.external_id)
