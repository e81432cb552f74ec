"""Reviews: what people decide about signals."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from stet.common.models import AppendOnlyModel
from stet.traces.models import Signal


class Review(AppendOnlyModel):
    """A person's decision on a signal; the latest of all counts.

    ``replacement`` is the signal that stands in its place after an amendment. ``own_first`` says
    that the person judged before the opinion was shown; ``active_ms`` is the time it took.
    """

    class Decision(models.TextChoices):
        ACCEPT = "accept"
        REJECT = "reject"
        AMEND = "amend"

    signal = models.ForeignKey(Signal, on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=6, choices=Decision.choices)
    replacement = models.ForeignKey(
        Signal, null=True, on_delete=models.PROTECT, related_name="replaces"
    )
    comment = models.TextField(blank=True, max_length=10_000)
    own_first = models.BooleanField(default=False)
    active_ms = models.PositiveIntegerField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(decision="amend", replacement__isnull=False)
                | Q(decision__in=["accept", "reject"], replacement__isnull=True),
                name="review_replacement_iff_amended",
            ),
        ]
