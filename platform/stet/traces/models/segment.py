"""Segments: runs of token ids of one origin, their candidates, and spans over them."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Func, Q

from stet.common.ids import new_id
from stet.common.models import AppendOnlyModel


class Origin(models.IntegerChoices):
    """Where a token comes from. Only MODEL tokens may enter a ratio loss."""

    PROMPT = 0, "prompt"
    MODEL = 1, "model"
    CANDIDATE = 2, "candidate"
    HUMAN = 3, "human"
    TOOL = 4, "tool"
    FOREIGN = 5, "foreign"


SCORED = [Origin.MODEL, Origin.CANDIDATE]


class OctetLength(Func):
    function = "octet_length"
    output_field = models.IntegerField()


class Segment(AppendOnlyModel):
    """A run of ids of one origin that continues ``parent`` after its first ``fork_at`` tokens.

    ``ids`` int32 LE [T], ``logprobs`` float32 LE [T] for sampled and picked tokens (a picked
    token that no stored list held has none), ``start`` the absolute position of the first token.
    ``episode`` is null for what all episodes of a task and round share.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    task = models.ForeignKey("projects.Task", on_delete=models.PROTECT, related_name="segments")
    round = models.PositiveSmallIntegerField(default=1)
    episode = models.ForeignKey(
        "traces.Episode", null=True, on_delete=models.PROTECT, related_name="segments"
    )
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    fork_at = models.PositiveIntegerField(null=True)
    start = models.PositiveIntegerField()
    length = models.PositiveIntegerField()
    origin = models.PositiveSmallIntegerField(choices=Origin.choices)
    policy = models.ForeignKey(
        "policies.PolicyVersion", null=True, on_delete=models.PROTECT, related_name="segments"
    )
    tokenizer_sha256 = models.CharField(max_length=64)
    ids = models.BinaryField()
    logprobs = models.BinaryField(null=True)
    seen_before_pick = models.BooleanField(default=False)
    digest = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(length__gte=1), name="segment_not_empty"),
            models.CheckConstraint(
                condition=Q(parent__isnull=True, fork_at__isnull=True, start=0)
                | Q(parent__isnull=False, fork_at__isnull=False, fork_at__gte=1, start__gte=1),
                name="segment_root_or_fork",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=Origin.values), name="segment_origin_known"
            ),
            models.CheckConstraint(
                condition=Q(length=OctetLength("ids") / 4) & Q(length=(OctetLength("ids") + 3) / 4),
                name="segment_ids_length",
            ),
            models.CheckConstraint(
                condition=Q(logprobs__isnull=True)
                | Q(length=OctetLength("logprobs") / 4)
                & Q(length=(OctetLength("logprobs") + 3) / 4),
                name="segment_logprobs_length",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=SCORED, logprobs__isnull=False)
                | (~Q(origin__in=SCORED) & Q(logprobs__isnull=True)),
                name="segment_logprobs_iff_scored",
            ),
        ]
        indexes = [models.Index(fields=["task", "round"], name="segment_tree")]


class Candidates(AppendOnlyModel):
    """The top-K of each position of a sampled segment, packed.

    ``ids`` int32 LE [T*K] padded with -1, ``logprobs`` float32 LE [T*K] padded with NaN, best
    first. float32 and not float16, so that the log-probability of a pick is stored exactly.
    """

    segment = models.OneToOneField(
        Segment, primary_key=True, on_delete=models.PROTECT, related_name="candidates"
    )
    k = models.PositiveSmallIntegerField()
    ids = models.BinaryField()
    logprobs = models.BinaryField()


SPOKEN = Q(role__gt="")
"""The spans of messages and calls; those without a role were made for what signals say of them."""


class Span(AppendOnlyModel):
    """Half-open absolute positions [start, end) of the path of a segment, at a level.

    ``role`` says who speaks in the messages and calls of a conversation. ``ordinal`` counts
    messages, steps or calls from the first of the conversation.
    """

    class Level(models.TextChoices):
        TOKEN = "token"
        MESSAGE = "message"
        STEP = "step"
        CALL = "call"
        EPISODE = "episode"

    segment = models.ForeignKey(Segment, on_delete=models.PROTECT, related_name="spans")
    level = models.CharField(max_length=8, choices=Level.choices)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    role = models.CharField(max_length=20, blank=True)
    ordinal = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="span_not_empty"),
            models.CheckConstraint(
                condition=Q(level__in=["token", "message", "step", "call", "episode"]),
                name="span_level_known",
            ),
        ]
