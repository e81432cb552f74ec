"""Guard rules and what they decided."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from stet.common.models import AppendOnlyModel


class GuardRule(AppendOnlyModel):
    """One version of a rule: what was mined or written by hand; ``key`` is the same in each.

    ``figures`` are those of the mining (support, lift, precision), ``provenance`` names the runs.
    """

    class Action(models.TextChoices):
        WARN = "warn"
        ASK = "ask"
        BLOCK = "block"

    project = models.ForeignKey(
        "projects.Project", on_delete=models.PROTECT, related_name="guard_rules"
    )
    key = models.CharField(max_length=80)
    version = models.PositiveIntegerField()
    pattern = models.JSONField()
    any_words = models.JSONField(default=list)
    no_words = models.JSONField(default=list)
    action = models.CharField(max_length=5, choices=Action.choices, default=Action.BLOCK)
    family = models.CharField(max_length=80, blank=True)
    figures = models.JSONField(default=dict)
    provenance = models.JSONField(default=list)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "key", "version"], name="guard_rule_version_once"
            ),
            models.CheckConstraint(
                condition=Q(action__in=["warn", "ask", "block"]), name="guard_action_known"
            ),
        ]


class GuardState(AppendOnlyModel):
    """From now on a rule only watches (shadow), decides (active), or rests (retired); the latest
    row counts. ``figures`` are those that the promotion rested on."""

    class State(models.TextChoices):
        SHADOW = "shadow"
        ACTIVE = "active"
        RETIRED = "retired"

    rule = models.ForeignKey(GuardRule, on_delete=models.PROTECT, related_name="states")
    state = models.CharField(max_length=7, choices=State.choices)
    figures = models.JSONField(default=dict)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["shadow", "active", "retired"]), name="guard_state_known"
            ),
        ]


class GuardDecision(AppendOnlyModel):
    """A rule was met by a call that somebody asked about; ``state`` is what the rule was then."""

    rule = models.ForeignKey(GuardRule, on_delete=models.PROTECT, related_name="decisions")
    state = models.CharField(max_length=7, choices=GuardState.State.choices)
    tool = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
