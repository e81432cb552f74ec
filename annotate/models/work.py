"""Leases, drafts and submissions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from stet.common.models import AppendOnlyModel
from stet.traces.models import Episode


class LeaseQuerySet(models.QuerySet["Lease"]):
    def live(self) -> LeaseQuerySet:
        """Leases that hold now, by the database's clock."""
        return self.filter(released_at__isnull=True, expires_at__gt=Now())


class Lease(models.Model):
    """A task held by one annotator in one round until a time; heartbeats extend it."""

    task = models.ForeignKey("projects.Task", on_delete=models.PROTECT, related_name="leases")
    round = models.PositiveSmallIntegerField(default=1)
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="leases"
    )
    expires_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LeaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "annotator", "round"],
                condition=Q(released_at__isnull=True),
                name="lease_one_live",
            ),
        ]


class Draft(models.Model):
    """Answers that are not handed in yet. ``version`` grows with each change, also by a submit.

    The active time of an episode is its own; here lies the idle time beside it.
    """

    episode = models.OneToOneField(Episode, on_delete=models.PROTECT, related_name="draft")
    version = models.PositiveIntegerField(default=0)
    answers = models.JSONField(default=dict)
    idle_ms = models.PositiveBigIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)


class Submission(AppendOnlyModel):
    """What an annotator hands in: the head as it stood, and under which guideline.

    ``questions``: the version of each question that was answered. ``extra``: the task had all the
    answers that it needed already; it is kept and does not count.
    """

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="submissions")
    n = models.PositiveSmallIntegerField()
    head_segment = models.ForeignKey("traces.Segment", on_delete=models.PROTECT, related_name="+")
    head_length = models.PositiveIntegerField()
    guideline = models.ForeignKey("projects.Guideline", null=True, on_delete=models.PROTECT)
    answers = models.JSONField(default=dict)
    questions = models.JSONField(default=dict)
    active_ms = models.PositiveBigIntegerField(default=0)
    idle_ms = models.PositiveBigIntegerField(default=0)
    extra = models.BooleanField(default=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["author", "created_at"], name="submission_mine")]
        constraints = [
            models.UniqueConstraint(fields=["episode", "n"], name="submission_once"),
            models.CheckConstraint(condition=Q(head_length__gte=1), name="submission_head"),
        ]
