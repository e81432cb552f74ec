"""Signals are added, each once; the same again changes nothing, another value is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import Conflict, Invalid, StetError
from stet.projects.models import Project
from stet.traces.kinds import object_fault, value_fault
from stet.traces.models import Episode, Signal, Span
from stet.traces.places import Place

Name = tuple[int, str, str, str]
# One writer of signals a project: two of the same signal at once are then one.
LOCK = "SELECT pg_advisory_xact_lock(hashtext('stet signals'), %s)"


class SignalConflict(Conflict):
    """The source said something else of this span under the same version."""

    code, title = "signal_conflict", gettext_lazy("This version has judged the span otherwise")


@dataclass(frozen=True, slots=True)
class Said:
    """What a source says of a place: the content of a signal."""

    place: Place
    kind: str
    value: Any
    source: str
    version: str
    key: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass
class Recorded:
    """What became of numbered items: the signal per number, how many were there already, and the
    reason per refused one."""

    signals: dict[int, int] = field(default_factory=dict)
    added: int = 0
    same: int = 0
    errors: list[tuple[int, StetError]] = field(default_factory=list)


@transaction.atomic
def signals_add(
    *,
    project: Project,
    author: Any,
    items: Iterable[tuple[int, Episode, Said]],
) -> Recorded:
    """Keep what sources say of episodes of the project; ``author`` None is this installation.

    Each item stands alone: a fault is told by its number and costs no other.
    """
    outcome = Recorded()
    rows = []
    for number, episode, said in items:
        fault = said_fault(said)
        if fault:
            outcome.errors.append((number, fault))
        else:
            rows.append((number, episode, said))
    if not rows:
        return outcome
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [project.pk % 2**31])
    spans = _spans([said.place for _number, _episode, said in rows])
    known = _known({spans[said.place].pk for _number, _episode, said in rows}, author)
    names: dict[int, Name] = {}
    new: list[Signal] = []
    for number, episode, said in rows:
        span = spans[said.place]
        name = (span.pk, said.source, said.version, said.key)
        before = known.get(name)
        if before is None:
            signal = Signal(
                project=project,
                episode=episode,
                span=span,
                kind=said.kind,
                value=said.value,
                evidence=said.evidence,
                source=said.source,
                version=said.version,
                key=said.key,
                author=author,
            )
            known[name] = signal
            new.append(signal)
            outcome.added += 1
        elif (before.kind, before.value) == (said.kind, said.value):
            outcome.same += 1
        else:
            outcome.errors.append((number, SignalConflict(_conflict(before), signal=before.pk)))
            continue
        names[number] = name
    Signal.objects.bulk_create(new)
    outcome.signals = {number: known[name].pk for number, name in names.items()}
    return outcome


def said_fault(said: Said) -> StetError | None:
    """Why this cannot be kept, None if it can."""
    if not 0 < len(said.source) <= 80 or not 0 < len(said.version) <= 40 or len(said.key) > 80:
        return Invalid(
            _("A source has 1 to 80 characters, a version 1 to 40, a key at most 80."),
            code="bad_name",
        )
    if "\0" in said.source + said.version + said.key:
        return Invalid(_("A name holds a NUL character."), code="bad_name")
    reason = value_fault(said.kind, said.value)
    if reason:
        return Invalid(_("The value: %(fault)s.") % {"fault": reason}, code="bad_value")
    reason = object_fault(said.evidence)
    if reason:
        return Invalid(_("The evidence: %(fault)s.") % {"fault": reason}, code="bad_evidence")
    return None


def _conflict(before: Signal) -> str:
    value = orjson.dumps(before.value).decode()[:200]
    return _(
        "%(source)s %(version)s has said %(value)s of this span. Raise the version to judge it"
        " anew; nothing was changed."
    ) % {"source": before.source, "version": before.version, "value": value}


def _spans(places: list[Place]) -> dict[Place, Span]:
    """A stored span for each place; those that are missing are written."""
    found: dict[Place, Span] = {}
    segments = {place.segment for place in places}
    for span in Span.objects.filter(segment__in=segments, role="").order_by("-pk"):
        found[Place(span.segment_id, span.level, span.start, span.end, span.ordinal)] = span
    new = {
        place: Span(
            segment_id=place.segment,
            level=place.level,
            start=place.start,
            end=place.end,
            ordinal=place.ordinal,
        )
        for place in places
        if place not in found
    }
    Span.objects.bulk_create(new.values())
    return {**found, **new}


def _known(spans: set[int], author: Any) -> dict[Name, Signal]:
    rows = Signal.objects.filter(span__in=spans, author=author)
    return {(row.span_id, row.source, row.version, row.key): row for row in rows}
