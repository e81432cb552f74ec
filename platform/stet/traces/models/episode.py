"""Episodes, the acts that move their heads, and corrections."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from stet.common.models import AppendOnlyModel
from stet.traces.models.segment import Segment


class Episode(models.Model):
    """One attempt at a task: a head over the tree of segments of (task, round).

    ``head_length`` null means the whole of a segment that may still be in the making.
    ``version`` grows by one with each accepted act, never by arriving tokens.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        LATER = "later"
        SKIPPED = "skipped"
        FLAGGED = "flagged"
        SUBMITTED = "submitted"
        ACCEPTED = "accepted"
        RETURNED = "returned"

    task = models.ForeignKey("projects.Task", on_delete=models.PROTECT, related_name="episodes")
    round = models.PositiveSmallIntegerField(default=1)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="episodes"
    )
    policy = models.ForeignKey("policies.PolicyVersion", null=True, on_delete=models.PROTECT)
    sampling = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    version = models.PositiveIntegerField(default=0)
    head_segment = models.ForeignKey(
        Segment, on_delete=models.PROTECT, db_constraint=False, related_name="+"
    )
    head_length = models.PositiveIntegerField(null=True)
    active_ms = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(head_length__isnull=True) | Q(head_length__gte=1),
                name="episode_head_length",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "open",
                        "later",
                        "skipped",
                        "flagged",
                        "submitted",
                        "accepted",
                        "returned",
                    ]
                ),
                name="episode_status_known",
            ),
        ]
        indexes = [models.Index(fields=["author", "status"], name="episode_mine")]


class Act(AppendOnlyModel):
    """One accepted act on an episode and the head that it left; ``version`` has no gaps."""

    class Kind(models.TextChoices):
        BEGIN = "begin"
        CONTINUE = "continue"
        CORRECT = "correct"
        MOVE = "move"
        UNDO = "undo"
        REDO = "redo"
        TURN = "turn"
        SUBMIT = "submit"
        LATER = "later"
        SKIP = "skip"
        FLAG = "flag"
        REOPEN = "reopen"
        ACCEPT = "accept"
        RETURN = "return"

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="acts")
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    head_segment_id = models.UUIDField()
    head_length = models.PositiveIntegerField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["episode", "version"], name="act_version_once"),
        ]


class Correction(AppendOnlyModel):
    """A person's replacement of what stood at (segment, index)."""

    class How(models.TextChoices):
        PICK = "pick"
        TYPE = "type"
        END_HERE = "end_here"
        GO_ON = "go_on"

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="corrections")
    segment = models.ForeignKey(Segment, on_delete=models.PROTECT, related_name="+")
    index = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    rejected = ArrayField(models.IntegerField())
    accepted = ArrayField(models.IntegerField())
    new_segment = models.OneToOneField(Segment, on_delete=models.PROTECT, related_name="correction")
    how = models.CharField(max_length=8, choices=How.choices)
    rank = models.PositiveSmallIntegerField(null=True)
    canonical = models.BooleanField(default=True)
    typed_text = models.TextField(blank=True)
    active_ms = models.PositiveIntegerField(null=True)
    seen = models.JSONField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(how__in=["pick", "type", "end_here", "go_on"]),
                name="correction_how_known",
            ),
            models.CheckConstraint(
                condition=Q(accepted__len__gte=1) & Q(rejected__len__gte=1),
                name="correction_not_empty",
            ),
        ]


class CorrectionReason(AppendOnlyModel):
    """Why a correction was made, said after the fact; the latest row counts."""

    correction = models.ForeignKey(Correction, on_delete=models.PROTECT, related_name="reasons")
    reason = models.CharField(max_length=120)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
