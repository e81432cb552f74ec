"""Who holds which task until when, and how much each person did."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import Lease, Submission
from stet.projects.models import Project
from stet.traces.models import Episode


def held_leases(project: Project) -> QuerySet[Lease]:
    """Leases that hold now, each with the episode of its holder."""
    own = Episode.objects.filter(task=OuterRef("task"), author=OuterRef("annotator"))
    rows = Lease.objects.live().filter(task__project=project)
    return (
        rows.annotate(episode_id=Subquery(own.order_by("-pk").values("pk")[:1]))
        .select_related("annotator", "task")
        .defer("task__messages", "task__tools", "task__reference", "task__checks")
    )


def people_counts(project: Project) -> list[dict[str, Any]]:
    """By person: answers handed in, today's, and the time that they took."""
    today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    handed_in = Submission.objects.filter(episode=OuterRef("pk"))
    rows = Episode.objects.filter(Exists(handed_in), task__project=project).annotate(
        fresh=Exists(handed_in.filter(created_at__gte=today))
    )
    table = (
        rows.values("author__username", "author__first_name", "author__last_name")
        .annotate(
            count=Count("pk"),
            today=Count("pk", filter=Q(fresh=True)),
            active=Sum("active_ms"),
            idle=Coalesce(Sum("draft__idle_ms"), 0),
        )
        .order_by("-count", "author__username")
    )
    return [
        {
            "name": f"{row['author__first_name']} {row['author__last_name']}".strip()
            or row["author__username"],
            "count": row["count"],
            "today": row["today"],
            "active_minutes": round(row["active"] / 60_000),
            "idle_minutes": round(row["idle"] / 60_000),
            "each_seconds": round(row["active"] / row["count"] / 1000),
        }
        for row in table
    ]
