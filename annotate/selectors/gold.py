"""Tasks with a known answer, and how people did on them. Only owners may learn of either."""

from __future__ import annotations

from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from annotate.gold import Score, leaves, left_at
from annotate.models import Submission
from stet.accounts.roles import Role
from stet.projects.models import Project, Task
from stet.projects.selectors import HEAVY
from stet.traces.models import Episode, Generation, Segment


def gold_tasks(project: Project) -> QuerySet[Task]:
    rows = Task.objects.filter(project=project, gold__isnull=False, retired_at=None)
    return rows.defer(*HEAVY).order_by("pk")


def gold_submissions(project: Project) -> QuerySet[Submission]:
    """The latest submission of each episode on such a task, save the one that it was made from."""
    newest = Submission.objects.filter(episode=OuterRef("pk")).order_by("-n")
    episodes = Episode.objects.filter(task__project=project, task__gold__isnull=False)
    rows = Submission.objects.filter(
        pk__in=episodes.annotate(newest=Subquery(newest.values("pk")[:1])).values("newest")
    )
    return rows.select_related("episode__task", "author").order_by("pk")


def gold_scores(project: Project) -> list[Score]:
    """One score a person, by name; submissions on another answer of the task do not count."""
    rows = [row for row in gold_submissions(project) if row.episode.task.gold]
    episodes = [row.episode_id for row in rows]
    firsts = _first_answers(episodes)
    segments = Segment.objects.filter(episode__in=episodes) | Segment.objects.filter(
        episode=None, task__project=project, task__gold__isnull=False
    )
    tree = leaves(list(segments.only("pk", "parent_id", "fork_at")))
    found: dict[int, Score] = {}
    for row in rows:
        gold = row.episode.task.gold or {}
        known = gold["generation"]
        first = firsts.get((row.episode_id, known)) or firsts.get((0, known))
        if row.episode_id == gold["episode"] or first is None:
            continue
        through, at = left_at(tree, (row.head_segment_id, row.head_length), *first)
        if not through:
            # Who draws anew, or answers in own words from the start, finds fault with the first.
            at = 0
        score = found.setdefault(row.author_id, Score(row.author))
        score.tasks.append(row.episode.task_id)
        score.add(gold, at, row.answers)
    return sorted(found.values(), key=lambda score: str(score.person))


def _first_answers(episodes: list[int]) -> dict[tuple[int, str], tuple[UUID, int]]:
    """Segment and length of each episode's copy of the known answer; of a shared one under 0."""
    rows = Generation.objects.filter(episode__in=episodes, parent__parent=None, n_tokens__gt=0)
    found: dict[tuple[int, str], tuple[UUID, int]] = {}
    for generation in rows.select_related("task", "parent"):
        place = (generation.segment_id, generation.n_tokens)
        copied = generation.engine.get("replay_of")
        if copied:
            found[(generation.episode_id, copied)] = place
        if generation.shared:
            found[(0, str(generation.pk))] = place
    return found


def markable(project: Project) -> list[Submission]:
    """The newest answers that owners handed in for tasks that are not marked."""
    owners = project.memberships.filter(role=Role.OWNER, ended_at=None).values("user")
    rows = Submission.objects.filter(episode__task__project=project, author__in=owners)
    rows = rows.filter(episode__task__gold__isnull=True, episode__task__retired_at=None)
    newest = rows.filter(episode__policy__isnull=False).select_related("episode__task", "author")
    return list(newest.defer(*(f"episode__task__{name}" for name in HEAVY)).order_by("-pk")[:20])
