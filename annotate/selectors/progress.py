"""Progress that is honest with overlap: what was done of what is needed, by whom, and today."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache
from django.utils import timezone

from annotate.models import Submission
from stet.common import sql
from stet.projects.models import Project
from stet.projects.switches import switches

# From so many answers on, counting them takes longer than a page may: then it may be so old, in s.
LARGE, OLDEST = 5_000, 15
# A task needs as many answers as its overlap says; further ones are kept and do not count.
DONE = """
SELECT coalesce(sum(t.overlap), 0), coalesce(sum(least(t.overlap, coalesce(e.n, 0))), 0)
FROM projects_task t
LEFT JOIN (
  SELECT task_id, count(*) AS n FROM traces_episode
  WHERE policy_id IS NOT NULL AND status IN ('submitted', 'accepted')
  GROUP BY task_id
) e ON e.task_id = t.id
WHERE t.project_id = %s AND t.retired_at IS NULL AND t.gold IS NULL
  AND NOT EXISTS (SELECT 1 FROM traces_episode f WHERE f.task_id = t.id AND f.policy_id IS NULL)
"""
GOLD = """
SELECT (SELECT count(*) FROM projects_task WHERE project_id = %s AND retired_at IS NULL
        AND gold IS NOT NULL)
       * (SELECT count(*) FROM projects_membership
          WHERE project_id = %s AND ended_at IS NULL AND role = 'annotator'),
       (SELECT count(*) FROM traces_episode e JOIN projects_task t ON t.id = e.task_id
        WHERE t.project_id = %s AND t.gold IS NOT NULL AND t.retired_at IS NULL
        AND e.status IN ('submitted', 'accepted'))
"""


def progress_of(user: Any, project: Project) -> dict[str, int]:
    """``mine_today``, ``mine``, ``done`` and ``needed``; today is the day where the reader is.

    Tasks with a known answer count on both sides, as if they were further work, so that the
    numbers do not tell them from others.
    """
    done, needed = project_done(project)
    gold_needed, gold_done = gold_counts(project)
    if switches(project)["gold_share"] > 0 and gold_needed:
        everything = needed + gold_needed
        done = min(done + gold_done, everything) if done < needed else everything
        needed = everything
    mine = Submission.objects.filter(author=user, episode__task__project=project)
    today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    episodes = mine.values("episode").distinct()
    return {
        "mine_today": episodes.filter(created_at__gte=today).count(),
        "mine": episodes.count(),
        "done": done,
        "needed": needed,
    }


def project_done(project: Project) -> tuple[int, int]:
    """(done, needed) of the tasks whose answer is not known; of many a moment old."""
    known: tuple[int, int] | None = cache.get(f"done-{project.pk}")
    if known is None:
        ((needed, done),) = sql.rows(DONE, project.pk)
        known = int(done), int(needed)
        if known[1] > LARGE:
            cache.set(f"done-{project.pk}", known, OLDEST)
    return known


def gold_counts(project: Project) -> tuple[int, int]:
    """(needed, done) of the tasks whose answer is known: each annotator once."""
    ((needed, done),) = sql.rows(GOLD, project.pk, project.pk, project.pk)
    return int(needed), int(done)
