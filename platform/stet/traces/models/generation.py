"""Generations: segments in the making, and the log of what has arrived."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from stet.common.ids import new_id


class Generation(models.Model):
    """A sampled segment in the making, with everything that it is sampled with.

    ``segment_id`` is allocated with the row; the segment itself is written when the stream ends.
    ``owner`` is the web process that reads the stream until ``ended_at``; a heartbeat older than
    15 s frees it.

    A look-ahead continues a path that does not exist yet: what stands before (``at_segment``,
    ``at_index``), and then ``candidate``. It has no parent, keeps its chunks when it ends, and
    becomes a segment only when that candidate is taken together with it.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        STOPPED = "stopped"
        INTERRUPTED = "interrupted"
        ABANDONED = "abandoned"
        LOOKAHEAD = "lookahead"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=new_id)
    segment_id = models.UUIDField(unique=True, default=new_id)
    task = models.ForeignKey("projects.Task", on_delete=models.PROTECT)
    round = models.PositiveSmallIntegerField(default=1)
    episode = models.ForeignKey(
        "traces.Episode", on_delete=models.PROTECT, related_name="generations"
    )
    parent = models.ForeignKey(
        "traces.Segment", null=True, on_delete=models.PROTECT, related_name="+"
    )
    fork_at = models.PositiveIntegerField(null=True)
    at_segment = models.UUIDField(null=True)
    at_index = models.PositiveIntegerField(null=True)
    candidate = models.IntegerField(null=True)
    start = models.PositiveIntegerField()
    policy = models.ForeignKey("policies.PolicyVersion", on_delete=models.PROTECT)
    sampling = models.JSONField()
    logprobs_mode = models.CharField(max_length=24)
    engine = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.RUNNING)
    finish_reason = models.CharField(max_length=20, blank=True)
    stop_reason = models.JSONField(null=True)
    error = models.JSONField(null=True)
    usage = models.JSONField(null=True)
    owner = models.UUIDField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    stop_requested = models.BooleanField(default=False)
    n_tokens = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(parent__isnull=False, fork_at__isnull=False, fork_at__gte=1)
                | Q(
                    parent__isnull=True,
                    fork_at__isnull=True,
                    at_segment__isnull=False,
                    at_index__isnull=False,
                    candidate__isnull=False,
                    status__in=["lookahead", "failed"],
                ),
                name="generation_fork",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "running",
                        "done",
                        "stopped",
                        "interrupted",
                        "abandoned",
                        "lookahead",
                        "failed",
                    ]
                ),
                name="generation_status_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["heartbeat_at"], condition=Q(ended_at__isnull=True), name="generation_live"
            ),
        ]

    @property
    def ahead(self) -> bool:
        """Whether it is a look-ahead that was not taken."""
        return self.parent_id is None

    @property
    def shared(self) -> bool:
        """With overlap, all episodes of a task start from its first answers."""
        parent = self.parent
        return parent is not None and parent.parent_id is None and self.task.overlap > 1


class Chunk(models.Model):
    """What arrived of a generation, written before it is shown; ``seq`` counts ids up to its end.

    Never changed; the transaction that writes the segment removes its chunks, since the segment
    then holds the same ids.
    """

    generation = models.ForeignKey(Generation, on_delete=models.PROTECT, related_name="chunks")
    start = models.PositiveIntegerField()
    seq = models.PositiveIntegerField()
    k = models.PositiveSmallIntegerField()
    ids = models.BinaryField()
    logprobs = models.BinaryField()
    candidate_ids = models.BinaryField()
    candidate_logprobs = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["generation", "start"], name="chunk_once"),
            models.CheckConstraint(condition=Q(seq__gt=models.F("start")), name="chunk_not_empty"),
        ]
