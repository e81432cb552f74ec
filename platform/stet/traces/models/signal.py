"""Signals: what a source says of a span."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from stet.common.models import AppendOnlyModel
from stet.traces.kinds import Kind
from stet.traces.models.episode import Episode
from stet.traces.models.segment import Span

KINDS = [(kind.value, kind.value.capitalize()) for kind in Kind]


class Signal(AppendOnlyModel):
    """One value from one source about one span. What was never judged has none; absent is not zero.

    Once for (span, source, version, key, author): ``key`` tells apart what one source says of one
    span, ``author`` is null where a program of this installation judged. ``project`` and
    ``episode`` repeat what the span says, for the sake of the queries.
    """

    project = models.ForeignKey(
        "projects.Project", on_delete=models.PROTECT, related_name="signals"
    )
    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="signals")
    span = models.ForeignKey(Span, on_delete=models.PROTECT, related_name="signals")
    kind = models.CharField(
        max_length=10, choices=[(kind.value, kind.value.capitalize()) for kind in Kind]
    )
    source = models.CharField(max_length=80)
    version = models.CharField(max_length=40)
    key = models.CharField(max_length=80, blank=True)
    value = models.JSONField()
    evidence = models.JSONField(default=dict)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["span", "source", "version", "key", "author"],
                name="signal_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(kind__in=[value for value, _label in KINDS]),
                name="signal_kind_known",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "source", "id"], name="signal_by_source"),
            models.Index(fields=["episode", "id"], name="signal_of_episode"),
        ]
