"""Guard rules as they are now, and the runs that they are measured on."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotate.models import Review
from rewards.guard.mining import Labelled
from rewards.guard.rules import Rule, RuleSet, Trigger
from rewards.models import GuardRule, GuardState
from stet.accounts.roles import Role
from stet.common.errors import NotFound
from stet.projects.models import Membership
from stet.traces.kinds import Kind
from stet.traces.models import Episode, Signal, Span
from stet.traces.places import located

ABNORMAL = "abnormal"
"""The source of signals that name the type of an anomalous call, unless another is asked for."""
MOST_RUNS = 2000


def rule_list(project_id: int) -> QuerySet[GuardRule]:
    """The newest version of each rule of a project, and the one that decides where it is an older
    one, each with its ``state`` and how often it was met (``met``)."""
    newer = GuardRule.objects.filter(
        project=OuterRef("project"), key=OuterRef("key"), version__gt=OuterRef("version")
    )
    latest = GuardState.objects.filter(rule=OuterRef("pk")).order_by("-pk")
    rows = GuardRule.objects.filter(project=project_id)
    stated = rows.annotate(state=Subquery(latest.values("state")[:1]), met=Count("decisions"))
    return stated.filter(~Exists(newer) | Q(state=GuardState.State.ACTIVE))


def active_versions(rule: GuardRule) -> list[GuardRule]:
    """The versions of a rule that decide: one, or none."""
    rows = rule_list(rule.project_id).filter(key=rule.key)
    return [row for row in rows if getattr(row, "state", None) == GuardState.State.ACTIVE]


def access_rule(user: Any, pk: int) -> GuardRule:
    """A rule of a project in which the user is at least a researcher; nobody else learns of it."""
    roles = [role.value for role in Role.RESEARCHER.at_least()]
    mine = Membership.objects.filter(user=user, ended_at=None, project__archived_at=None)
    rows = GuardRule.objects.filter(project__in=mine.filter(role__in=roles).values("project"))
    found = rows.filter(pk=pk).first() if 0 < pk < 2**63 else None
    if found is None:
        raise NotFound(_("There is no such rule in your projects."))
    return found


def as_rule(row: GuardRule) -> Rule:
    trigger = Trigger(frozenset(row.any_words), frozenset(row.no_words))
    return Rule(str(row.pk), frozenset(row.pattern), trigger, row.action, row.family)


class Standing(NamedTuple):
    """The rules of a project that decide, and those that only watch."""

    version: int
    active: RuleSet
    shadow: RuleSet


_standing: dict[int, Standing] = {}


def standing(project_id: int) -> Standing:
    """The compiled rules, read anew when a state was added since; its number is their version."""
    states = GuardState.objects.filter(rule__project=project_id)
    version = states.aggregate(newest=Max("pk"))["newest"] or 0
    known = _standing.get(project_id)
    if known is None or known.version != version:
        rows = list(rule_list(project_id))
        sets = {
            state: RuleSet(as_rule(row) for row in rows if getattr(row, "state", None) == state)
            for state in (GuardState.State.ACTIVE, GuardState.State.SHADOW)
        }
        known = Standing(version, *sets.values())
        _standing[project_id] = known
    return known


def labelled_runs(project_id: int, source: str = ABNORMAL) -> list[Labelled]:
    """The newest runs of a project with the types of their anomalous calls: what ``source`` says of
    calls, but for what a person rejected, or amended to another type. Those without are normal."""
    latest = Review.objects.filter(signal=OuterRef("pk")).order_by("-pk")
    rows = Signal.objects.filter(
        project=project_id,
        source=source,
        kind=Kind.CATEGORY,
        span__level=Span.Level.CALL,
    ).annotate(decision=Subquery(latest.values("decision")[:1]))
    said: dict[int, dict[int, str]] = {}
    stands = rows.filter(Q(decision__isnull=True) | Q(decision=Review.Decision.ACCEPT))
    for signal in stands.select_related("span").order_by("pk"):
        said.setdefault(signal.episode_id, {})[signal.span.ordinal] = signal.value
    episodes = Episode.objects.filter(task__project=project_id).select_related("task", "policy")
    found = []
    for episode in episodes.order_by("-pk")[:MOST_RUNS]:
        run = located(episode).run
        if any(step.calls for step in run.steps):
            group = str(episode.task.metadata.get("task_id", episode.task_id))
            found.append(Labelled(run, said.get(episode.pk, {}), group, str(episode.pk)))
    return found
