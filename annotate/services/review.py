"""People accept, reject and amend what signals say."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.models import Review
from annotate.selectors.signals import access_signal
from stet.accounts.models import User
from stet.common.errors import Forbidden, Invalid
from stet.traces.kinds import value_fault
from stet.traces.models import Signal

AMENDED = "amended"
"""The version of a signal that a person put in another's place: its source stays the same name."""


@transaction.atomic
def signal_review(
    *,
    user: User,
    signal_id: int,
    decision: str,
    value: Any = None,
    comment: str = "",
    own_first: bool = False,
    active_ms: int | None = None,
) -> Review:
    """Decide about a signal. ``value`` is what it should have said, of the same kind, to amend.

    Raises Forbidden for one's own signal and for signals on one's own work, Invalid for a value
    that does not fit.
    """
    signal = access_signal(user, signal_id)
    Signal.objects.select_for_update(no_key=True).get(pk=signal.pk)
    # Whoever imported a trace did not write it.
    worked = signal.episode.policy_id is not None and signal.episode.author_id == user.pk
    if worked or signal.author_id == user.pk:
        raise Forbidden(_("Nobody reviews their own work; nothing was changed."))
    replacement = None
    if decision == Review.Decision.AMEND:
        reason = value_fault(signal.kind, value)
        if reason:
            raise Invalid(_("The value: %(fault)s.") % {"fault": reason}, code="bad_value")
        if value == signal.value:
            raise Invalid(_("It says this already: accept it instead."), code="same_value")
        replacement = _replaced(signal, user, value)
    elif value is not None:
        raise Invalid(_("Only an amendment brings a value."), code="bad_value")
    return Review.objects.create(
        signal=signal,
        decision=decision,
        replacement=replacement,
        comment=comment,
        own_first=own_first,
        active_ms=active_ms,
        author=user,
    )


def _replaced(signal: Signal, user: User, value: Any) -> Signal:
    """The signal with the amended value: the person's, once for each amendment."""
    again = Review.objects.filter(signal=signal, author=user, replacement__isnull=False).count()
    return Signal.objects.create(
        project_id=signal.project_id,
        episode_id=signal.episode_id,
        span_id=signal.span_id,
        kind=signal.kind,
        source=signal.source,
        version=AMENDED,
        key=f"{signal.pk}.{again + 1}",
        value=value,
        evidence={"amends": signal.pk, "key": signal.key},
        author=user,
    )
