"""Questions that a project asks beside the corrections."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from stet.common.models import AppendOnlyModel


class Question(AppendOnlyModel):
    """One version of a question; of a key the newest counts, also when it says ``retired``.

    ``options``: objects of value and label. ``condition``: the question is only asked while
    another one has one of some values.
    """

    class Kind(models.TextChoices):
        SINGLE = "single"
        MULTIPLE = "multiple"
        SCALE = "scale"
        TEXT = "text"

    project = models.ForeignKey(
        "projects.Project", on_delete=models.PROTECT, related_name="questions"
    )
    key = models.CharField(max_length=60)
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    label = models.CharField(max_length=200)
    help = models.TextField(blank=True, max_length=4000)
    options = models.JSONField(default=list)
    min = models.SmallIntegerField(null=True)
    max = models.SmallIntegerField(null=True)
    min_label = models.CharField(blank=True, max_length=80)
    max_label = models.CharField(blank=True, max_length=80)
    required = models.BooleanField(default=False)
    condition = models.JSONField(null=True)
    hotkey = models.CharField(blank=True, max_length=1)
    position = models.PositiveSmallIntegerField(default=0)
    retired = models.BooleanField(default=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "key", "version"], name="question_version_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["single", "multiple", "scale", "text"]),
                name="question_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return self.label
