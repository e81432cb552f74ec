"""Signals with what people decided about them: who sees which."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotate.models import Review
from stet.common.errors import NotFound
from stet.projects.models import Membership
from stet.traces.models import Signal
from stet.traces.selectors import REVIEWERS


def signal_list(
    user: Any, project_id: int | None = None, decided: str | None = None
) -> QuerySet[Signal]:
    """The signals of the projects in which the user is at least a reviewer, each with ``decision``,
    ``decided_by`` and ``decided_at`` of its latest review (null where there is none).

    ``decided`` picks those with that decision, ``none`` those without any.
    """
    mine = Membership.objects.filter(
        user=user, ended_at=None, project__archived_at=None, role__in=REVIEWERS
    )
    rows = Signal.objects.filter(project__in=mine.values("project"))
    if project_id is not None:
        rows = rows.filter(project=project_id)
    reviewed = with_review(rows)
    if decided is not None:
        latest = Q(decision__isnull=True) if decided == "none" else Q(decision=decided)
        reviewed = reviewed.filter(latest)
    return reviewed.select_related("span", "author", "episode")


def with_review(rows: QuerySet[Signal]) -> QuerySet[Signal]:
    latest = Review.objects.filter(signal=OuterRef("pk")).order_by("-pk")
    names = {
        "review": "pk",
        "decision": "decision",
        "decided_by": "author",
        "decided_at": "created_at",
        "decided_why": "comment",
        "replacement": "replacement",
    }
    return rows.annotate(
        **{as_name: Subquery(latest.values(name)[:1]) for as_name, name in names.items()}
    )


def access_signal(user: Any, pk: int) -> Signal:
    """A signal that the user may see; anybody else learns nothing of it."""
    found = signal_list(user).filter(pk=pk).first() if 0 < pk < 2**63 else None
    if found is None:
        raise NotFound(_("There is no such signal in your projects."))
    return found
