"""Background work: programs judge what was handed in, and rules are mined."""

from __future__ import annotations

from typing import Any

from rewards.registry import sources
from rewards.services import episode_judge, rules_mine, source_named
from stet.accounts.models import User
from stet.common.jobs import Claim, worker
from stet.projects.models import Project
from stet.traces.models import Episode

KIND = "judge"
MINE = "guard-mine"
BATCH = 20


@worker(KIND)
def judge_job(claim: Claim) -> dict[str, Any]:
    """Ask the named sources (all, if none is named) about episodes; what was said is not said
    again."""
    names = claim.job.params.get("sources")
    asked = [source_named(name) for name in names] if names else list(sources().values())
    ids: list[int] = claim.job.params["episodes"]
    counts = {"added": 0, "same": 0, "failed": 0}
    for start in range(0, len(ids), BATCH):
        rows = Episode.objects.select_related("task__project", "policy")
        for episode in rows.filter(pk__in=ids[start : start + BATCH]).order_by("pk"):
            outcome = episode_judge(episode, asked)
            counts["added"] += outcome.added
            counts["same"] += outcome.same
            counts["failed"] += len(outcome.errors)
        claim.progress(done=min(start + BATCH, len(ids)), of=len(ids), **counts)
    return counts


@worker(MINE)
def mine_job(claim: Claim) -> dict[str, Any]:
    """Mine guard rules from the project's labelled runs."""
    job = claim.job
    project = Project.objects.get(pk=job.project_id or 0)
    user = User.objects.get(pk=job.created_by_id or 0)
    rows = rules_mine(project=project, user=user, source=job.params["source"])
    return {"rules": [row.pk for row in rows]}
