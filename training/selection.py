"""Which submissions a dataset holds at a moment: the same moment, the same submissions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime

from annotate.models import Submission
from stet.projects.switches import switches
from stet.traces.models import Act, Episode
from training.models import Dataset

# The acts that change an episode's status.
DECIDING = [
    Act.Kind.SUBMIT,
    Act.Kind.LATER,
    Act.Kind.SKIP,
    Act.Kind.FLAG,
    Act.Kind.REOPEN,
    Act.Kind.ACCEPT,
    Act.Kind.RETURN,
]
CHUNK = 50

WATERMARK = """
SELECT least(
  clock_timestamp(),
  (SELECT min(xact_start) FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend'
   AND pid <> pg_backend_pid())
)
"""


def watermark_now() -> datetime:
    """A moment before which nothing will be written any more.

    A transaction that is still open may commit rows that carry an earlier time, so the moment
    lies before the oldest one.
    """
    with connection.cursor() as cursor:
        cursor.execute(WATERMARK)
        moment: datetime = cursor.fetchone()[0]
    return moment


class Entry(NamedTuple):
    """A submission by its keys; what was imported has none of its own."""

    task: int
    episode: int
    submission: int | None


def entries_at(dataset: Dataset, watermark: datetime) -> list[Entry]:
    """The latest submission of each episode that the dataset holds, by task and episode.

    Imported episodes count as handed in when they were imported.
    """
    query = dataset.query
    wanted = query.get("status", "accepted")
    reviewed = switches(dataset.project)["review"]
    found = []
    rows = _filtered(_handed_in(dataset.project_id, watermark), query)
    if not query.get("gold"):
        # People were tested on them, so they teach nothing new; what was marked later still counts.
        later = Q(task__gold__at__gt=watermark.isoformat())
        rows = rows.filter(Q(task__gold__isnull=True) | later)
    fields = ("task_id", "pk", "newest", "last", "ever", "status")
    for task, pk, newest, last, ever, status in rows.values_list(*fields):
        if last == Act.Kind.ACCEPT:
            accepted = True
        elif last != (Act.Kind.SUBMIT if newest else None):
            continue
        elif newest and ever == last:
            accepted = status == Episode.Status.ACCEPTED
        else:
            # Imported, or decided anew after the moment: then, what the project's rule says.
            accepted = not reviewed
        if accepted or wanted == "submitted":
            found.append(Entry(task, pk, newest))
    return found


def chunks(found: list[Entry], size: int = CHUNK) -> Iterator[list[Entry]]:
    """Entries in lists of about ``size``; those of one task stay together."""
    chunk: list[Entry] = []
    for entry in found:
        if len(chunk) >= size and entry.task != chunk[-1].task:
            yield chunk
            chunk = []
        chunk.append(entry)
    if chunk:
        yield chunk


def _handed_in(project: int, watermark: datetime) -> QuerySet[Any]:
    own = Submission.objects.filter(episode=OuterRef("pk"), created_at__lte=watermark)
    newest = own.order_by("-n")
    acts = Act.objects.filter(episode=OuterRef("pk"), kind__in=DECIDING).order_by("-version")
    rows: QuerySet[Any] = (
        Episode.objects.filter(task__project_id=project, created_at__lte=watermark)
        .annotate(
            newest=Subquery(newest.values("pk")[:1]),
            at=Coalesce(Subquery(newest.values("created_at")[:1]), "created_at"),
            last=Subquery(acts.filter(created_at__lte=watermark).values("kind")[:1]),
            ever=Subquery(acts.values("kind")[:1]),
        )
        .filter(Q(newest__isnull=False) | Q(policy__isnull=True))
        .order_by("task_id", "pk")
    )
    return rows


def _filtered(rows: QuerySet[Any], query: dict[str, Any]) -> QuerySet[Any]:
    if query.get("tasks"):
        rows = rows.filter(task__external_id__in=query["tasks"])
    if query.get("policies"):
        rows = rows.filter(policy_id__in=query["policies"])
    if query.get("metadata"):
        rows = rows.filter(task__metadata__contains=query["metadata"])
    if query.get("since"):
        rows = rows.filter(at__gte=parse_datetime(query["since"]))
    if query.get("until"):
        rows = rows.filter(at__lt=parse_datetime(query["until"]))
    return rows
