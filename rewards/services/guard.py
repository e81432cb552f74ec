"""Guard rules: written, mined, promoted, retired, and asked about calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rewards.guard.events import events
from rewards.guard.mining import Labelled, mine
from rewards.guard.rules import Asked, Decision, Rule, words_of
from rewards.models import GuardDecision, GuardRule, GuardState
from rewards.selectors import ABNORMAL, active_versions, as_rule, labelled_runs, standing
from stet.common.errors import Conflict
from stet.projects.models import Project
from stet.traces.steps import Call

LAMBDA = 1.0
LOCK = "SELECT pg_advisory_xact_lock(hashtext('stet guard'), %s)"
State = GuardState.State


class GateClosed(Conflict):
    """The rule stops more normal calls than it is worth."""

    code, title = "gate_closed", gettext_lazy("The rule does not pass the promotion gate")


@transaction.atomic
def rule_add(*, project: Project, user: Any, rule: Rule, figures: dict[str, Any]) -> GuardRule:
    """A new version of the rule ``rule.id``, which begins by watching only; the same content as the
    newest version adds nothing."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [project.pk % 2**31])
    before = GuardRule.objects.filter(project=project, key=rule.id).order_by("-version").first()
    content = {
        "pattern": sorted(rule.pattern),
        "any_words": sorted(rule.trigger.any),
        "no_words": sorted(rule.trigger.none),
        "action": rule.action,
        "family": rule.family,
    }
    if before is not None and all(getattr(before, name) == content[name] for name in content):
        return before
    row = GuardRule.objects.create(
        project=project,
        key=rule.id,
        version=before.version + 1 if before else 1,
        figures=figures,
        provenance=list(rule.provenance),
        author=user,
        **content,
    )
    GuardState.objects.create(rule=row, state=State.SHADOW, author=user)
    return row


@transaction.atomic
def rule_move(*, user: Any, rule: GuardRule, state: str) -> GuardState:
    """Promote a rule to ``active`` through the gate, or retire it.

    The gate: on the project's labelled runs, the share of anomalous calls that the rule meets and
    the active rules do not, less lambda times the share of other calls that it meets, is above 0
    (`gate`). Raises GateClosed with the figures.
    """
    GuardRule.objects.select_for_update(no_key=True).get(pk=rule.pk)
    figures: dict[str, Any] = {}
    if state == State.ACTIVE:
        older = {str(one.pk) for one in active_versions(rule)}
        active = [one for one in standing(rule.project_id).active.rules if one.id not in older]
        figures = gate(as_rule(rule), active, labelled_runs(rule.project_id))
        if figures["gain"] - LAMBDA * figures["wrong"] <= 0:
            raise GateClosed(
                _("It stops %(right)d anomalous and %(false)d other calls. Nothing was changed.")
                % {"right": figures["right_calls"], "false": figures["wrong_calls"]},
                figures=figures,
            )
        # Of each rule one version decides.
        for other in active_versions(rule):
            GuardState.objects.create(rule=other, state=State.RETIRED, author=user)
    return GuardState.objects.create(rule=rule, state=state, figures=figures, author=user)


def gate(rule: Rule, active: Sequence[Rule], runs: Sequence[Labelled]) -> dict[str, Any]:
    """``gain``, the share of anomalous calls that the rule adds to the active ones, and ``wrong``,
    the share of other calls that it meets, with their counts."""
    right = wrong = bad = good = 0
    for one in runs:
        words = words_of(one.run.instruction)
        for call, found in events(one.run):
            met = rule.meets(found, words)
            if call.ordinal in one.anomalies:
                bad += 1
                right += met and not any(each.meets(found, words) for each in active)
            else:
                good += 1
                wrong += met
    return {
        "gain": right / bad if bad else 0.0,
        "wrong": wrong / good if good else 0.0,
        "right_calls": right,
        "wrong_calls": wrong,
        "anomalous_calls": bad,
        "other_calls": good,
        "lambda": LAMBDA,
    }


def rules_mine(*, project: Project, user: Any, source: str = ABNORMAL) -> list[GuardRule]:
    """Mine the project's labelled runs; what is found begins by watching only."""
    runs = labelled_runs(project.pk, source)
    found = mine([one for one in runs if one.anomalies], [one for one in runs if not one.anomalies])
    rows = []
    for rule in found:
        figures = {"support": rule.support, "lift": rule.lift, "precision": rule.precision}
        rows.append(rule_add(project=project, user=user, rule=rule, figures=figures))
    return rows


def guard_check(
    *, project_id: int, instruction: str, history: Sequence[Call], call: Call
) -> tuple[Decision, Decision]:
    """What to do about a call before it is made, and what the watching rules would have done.

    Rules that are met are recorded; a call that no rule meets writes nothing.
    """
    now, asked = standing(project_id), Asked(instruction, history, call)
    decided, watched = now.active.decide(asked), now.shadow.decide(asked)
    met = [(name, State.ACTIVE) for name in decided.rules]
    met += [(name, State.SHADOW) for name in watched.rules]
    if met:
        GuardDecision.objects.bulk_create(
            GuardDecision(rule_id=int(name), state=state, tool=call.name[:200])
            for name, state in met
        )
    return decided, watched
