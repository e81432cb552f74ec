"""What is read of traces, and who may read it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.utils.translation import gettext as _

from stet.accounts.roles import Role
from stet.common import sql
from stet.common.errors import NotFound
from stet.common.packing import unpack_floats, unpack_ids
from stet.policies.selectors import policy_version
from stet.projects.models import Membership, Task
from stet.traces.models import (
    Act,
    Chunk,
    Correction,
    Episode,
    Generation,
    Origin,
    Segment,
    Span,
)
from stet.traces.models.segment import SCORED, SPOKEN
from stet.traces.paths import Path, Piece, by_id, path_of

UP = """
WITH RECURSIVE up AS (
  SELECT s.id, s.parent_id FROM traces_segment s WHERE s.id = %s
  UNION ALL
  SELECT p.id, p.parent_id FROM traces_segment p JOIN up ON p.id = up.parent_id
)
SELECT s.* FROM traces_segment s JOIN up ON s.id = up.id
"""


REVIEWERS = [role.value for role in Role.REVIEWER.at_least()]
ACTS = """
SELECT kind, head_segment_id, head_length FROM traces_act WHERE episode_id = %s ORDER BY version
"""
CANDIDATES = """
SELECT k, substring(ids FROM 4 * k * %s + 1 FOR 4 * k * %s),
       substring(logprobs FROM 4 * k * %s + 1 FOR 4 * k * %s)
FROM traces_candidates WHERE segment_id = %s
"""
# Every call about an episode asks one of these: their SQL is not built anew each time.
SEEN = """
FROM traces_episode e
JOIN projects_task t ON t.id = e.task_id
JOIN projects_project p ON p.id = t.project_id AND p.archived_at IS NULL
JOIN projects_membership m ON m.project_id = p.id AND m.ended_at IS NULL
WHERE m.user_id = %s AND (e.author_id = m.user_id OR m.role = ANY(%s))
"""
EPISODE = f"SELECT e.* {SEEN} AND e.id = %s"
GENERATION = "(SELECT episode_id FROM traces_generation WHERE id = %s)"
STREAM = f"SELECT 1 {SEEN} AND e.id = {GENERATION}"
GUIDELINE = "(SELECT max(version) FROM projects_guideline g WHERE g.project_id = t.project_id)"
FOLLOW = f"SELECT t.project_id, e.version, {GUIDELINE} {SEEN} AND e.id = %s"
LOCKED = """
SELECT e.*, t.project_id, t.overlap, t.gold FROM traces_episode e
JOIN projects_task t ON t.id = e.task_id WHERE e.id = %s FOR UPDATE OF e
"""


def episode_locked(pk: int) -> Episode:
    """The episode, locked until the end of the transaction; of its task only what acts need."""
    episode = _episode(LOCKED, pk)
    if episode is None:
        raise Episode.DoesNotExist
    names = ["project_id", "overlap", "gold"]
    values = [getattr(episode, name) for name in names]
    values[-1] = values[-1] and orjson.loads(values[-1])
    episode.task = Task.from_db(episode._state.db, ["id", *names], [episode.task_id, *values])
    return episode


def _episode(query: str, *params: Any) -> Episode | None:
    for episode in Episode.objects.raw(query, params):
        if episode.policy_id is not None:
            episode.policy = policy_version(episode.policy_id)
        return episode
    return None


def access_episode(user: Any, pk: int, *, act: bool = False) -> Episode:
    """The episode for its author or, to read, for a reviewer; anybody else learns nothing of it."""
    readers = [] if act else REVIEWERS
    episode = _episode(EPISODE, user.pk, readers, pk)
    if episode is None:
        raise NotFound(_("There is no such episode in your projects."))
    return episode


def sees_task(user: Any, task_id: int) -> bool:
    """Whether the user may see what the episodes of a task share: a reviewer, or one of them."""
    live = Q(
        project__archived_at__isnull=True,
        project__memberships__user=user,
        project__memberships__ended_at__isnull=True,
    )
    reviewer = Q(project__memberships__role__in=Role.REVIEWER.at_least())
    return Task.objects.filter(live & (reviewer | Q(episodes__author=user)), pk=task_id).exists()


def access_generation(user: Any, pk: UUID, *, act: bool = False) -> Generation:
    """The generation of an episode that the user may see, or one that all of a task share."""
    generation = Generation.objects.select_related("parent", "task").filter(pk=pk).first()
    if generation is None:
        raise NotFound(_("There is no such generation in your projects."))
    if act or not (generation.shared and sees_task(user, generation.task_id)):
        access_episode(user, generation.episode_id, act=act)
    return generation


def check_stream(user: Any, pk: UUID) -> None:
    """Raise NotFound unless the user may watch the generation."""
    if not sql.rows(STREAM, user.pk, REVIEWERS, pk):
        access_generation(user, pk)


def check_follow(user: Any, pk: int) -> tuple[int, int, int | None]:
    """Project and version of an episode that the user may see, and the version of the project's
    guideline; raises NotFound for any other."""
    found = sql.rows(FOLLOW, user.pk, REVIEWERS, pk)
    if not found:
        raise NotFound(_("There is no such episode in your projects."))
    project, version, guideline = found[0]
    return project, version, guideline


def path_to(segment_id: UUID, length: int | None = None) -> Path:
    """The path of a stored segment, in one query."""
    return path_of(by_id(Segment.objects.raw(UP, [segment_id])), segment_id, length)


def own_path(episode: Episode, segment_id: str) -> Path:
    """The path of a stored segment of the episode. Raises NotFound for any other."""
    try:
        segment = Segment.objects.get(pk=UUID(segment_id), episode=episode)
    except (ValueError, Segment.DoesNotExist):
        raise NotFound() from None
    return path_to(segment.pk)


def path_found(segment_id: UUID) -> Path | None:
    """The path of a segment, None if it is not stored."""
    stored = by_id(Segment.objects.raw(UP, [segment_id]))
    return path_of(stored, segment_id) if stored else None


def without_access(generation_ids: Sequence[UUID]) -> list[UUID]:
    """Those of the generations whose author is no longer a member of the project."""
    if not generation_ids:
        return []
    member = Membership.objects.filter(
        project=OuterRef("task__project"), user=OuterRef("episode__author"), ended_at=None
    )
    rows = Generation.objects.filter(pk__in=generation_ids).exclude(Exists(member))
    return list(rows.values_list("pk", flat=True))


def prefix_ids(generation: Generation) -> array[int]:
    """Exactly the ids [T] that a generation continues."""
    if generation.parent_id is not None:
        return path_to(generation.parent_id, generation.fork_at).ids
    assert generation.at_segment is not None
    assert generation.candidate is not None
    place = path_arrived(generation.at_segment).cut(generation.start - 1)
    return array("i", [*place.ids, generation.candidate])


def path_arrived(segment_id: UUID) -> Path:
    """The path of a segment, stored or in the making."""
    if (found := path_found(segment_id)) is not None:
        return found
    generation = Generation.objects.get(segment_id=segment_id)
    arrived = live_segment(generation)
    if arrived is None or generation.parent_id is None:
        # It may have been sealed between the two reads.
        return path_to(segment_id)
    stored = by_id(Segment.objects.raw(UP, [generation.parent_id]))
    return path_of({**stored, segment_id: arrived}, segment_id)


def tree(episode: Episode) -> list[Segment]:
    """Every segment of the episode and of what its task and round share, without the arrays."""
    mine = Q(episode=episode) | Q(episode__isnull=True)
    rows = Segment.objects.filter(mine, task_id=episode.task_id, round=episode.round)
    return list(rows.defer("ids", "logprobs", "digest").order_by("created_at", "id"))


def generation_at_head(episode: Episode) -> Generation | None:
    return Generation.objects.filter(segment_id=episode.head_segment_id).first()


def lookahead_cost(**of: Any) -> dict[str, int]:
    """What look-ahead took of the model: tokens drawn, and those of them that were taken."""
    rows = Generation.objects.filter(candidate__isnull=False, **of)
    taken = Q(parent__isnull=False)
    return rows.aggregate(
        generations=Count("pk"),
        tokens=Sum("n_tokens", default=0),
        taken=Count("pk", filter=taken),
        taken_tokens=Sum("n_tokens", filter=taken, default=0),
    )


def live_segment(generation: Generation) -> Segment | None:
    """What has arrived of a running generation, as a segment that is not stored."""
    if generation.ahead:
        return None
    chunks = list(Chunk.objects.filter(generation=generation).order_by("start"))
    if not chunks:
        return None
    return Segment(
        id=generation.segment_id,
        task_id=generation.task_id,
        round=generation.round,
        episode_id=None if generation.shared else generation.episode_id,
        parent_id=generation.parent_id,
        fork_at=generation.fork_at,
        start=generation.start,
        length=chunks[-1].seq,
        origin=Origin.MODEL,
        policy_id=generation.policy_id,
        ids=b"".join(bytes(chunk.ids) for chunk in chunks),
        logprobs=b"".join(bytes(chunk.logprobs) for chunk in chunks),
    )


def head_path(episode: Episode) -> Path:
    """The path of the head; of a live segment, what has arrived so far."""
    segment_id, length = episode.head_segment_id, episode.head_length
    stored = by_id(Segment.objects.raw(UP, [segment_id]))
    if segment_id in stored:
        return path_of(stored, segment_id, length)
    generation = Generation.objects.get(segment_id=segment_id)
    arrived = live_segment(generation)
    if arrived is None:
        # It may have been sealed between the two reads.
        stored = by_id(Segment.objects.raw(UP, [segment_id]))
        if segment_id in stored:
            return path_of(stored, segment_id, length)
        assert generation.parent_id is not None
        return path_to(generation.parent_id, generation.fork_at)
    assert generation.parent_id is not None
    stored = by_id(Segment.objects.raw(UP, [generation.parent_id]))
    return path_of({**stored, segment_id: arrived}, segment_id)


def head_resolved(segment_id: UUID, length: int | None) -> tuple[UUID, int] | None:
    """A head as (segment, length) of stored rows; None while the segment is in the making."""
    if length is not None:
        return segment_id, length
    segment = Segment.objects.filter(pk=segment_id).values("length").first()
    if segment is not None:
        return segment_id, segment["length"]
    generation = Generation.objects.get(segment_id=segment_id)
    if generation.status == Generation.Status.RUNNING:
        return None
    assert generation.parent_id is not None
    assert generation.fork_at is not None
    return generation.parent_id, generation.fork_at


Head = tuple[UUID, int | None]


def undo_redo(episode: Episode) -> tuple[Head | None, Head | None]:
    """The heads that undo and redo would bring back, as their acts left them."""
    stack: list[Head] = []
    at = -1
    for kind, segment_id, length in sql.rows(ACTS, episode.pk):
        if kind == Act.Kind.UNDO and at > 0:
            at -= 1
        elif kind == Act.Kind.REDO and at + 1 < len(stack):
            at += 1
        elif kind in HEADS:
            at += 1
            stack[at:] = [(segment_id, length)]
    before = stack[at - 1] if at > 0 else None
    after = stack[at + 1] if at + 1 < len(stack) else None
    return before, after


HEADS = frozenset(
    {Act.Kind.BEGIN, Act.Kind.CONTINUE, Act.Kind.CORRECT, Act.Kind.MOVE, Act.Kind.TURN}
)


def spans_of(path: Path, *, cut: bool = False) -> list[Span]:
    """The stored spans that lie on the path; with ``cut`` also what is left of those it forks in.

    Spans that were cut are not rows any more.
    """
    segments = [piece.segment.pk for piece in path.pieces]
    spans = Span.objects.filter(SPOKEN, segment__in=segments)
    ends = {piece.segment.pk: piece.end for piece in path.pieces}
    on_path = []
    for span in spans:
        end = ends[span.segment_id]
        if cut and span.start < end < span.end:
            span.end = end
        if span.end <= end:
            on_path.append(span)
    return sorted(on_path, key=lambda span: (span.start, -span.end))


def candidates_at(segment: Segment, index: int) -> tuple[Segment, int] | None:
    """The sampled (segment, index) whose candidates stood where a person chose; None if typed."""
    while segment.origin in {Origin.CANDIDATE, Origin.HUMAN} and index == 0:
        correction = Correction.objects.select_related("segment").get(new_segment=segment)
        if segment.origin == Origin.HUMAN and correction.how != Correction.How.END_HERE:
            break
        segment, index = correction.segment, correction.index
    return (segment, index) if segment.origin == Origin.MODEL else None


def candidate_lists(
    segment: Segment, generation: Generation | None, start: int, end: int
) -> tuple[int, array[int], array[float]]:
    """(k, ids [n*k], log-probabilities [n*k]) of the positions [start, end) of a segment."""
    rows: Sequence[Any] = ()
    if generation is not None and generation.status == Generation.Status.RUNNING:
        rows = list(Chunk.objects.filter(generation=generation).order_by("start"))
    if rows:
        k = rows[0].k
        ids = b"".join(bytes(row.candidate_ids) for row in rows)
        logprobs = b"".join(bytes(row.candidate_logprobs) for row in rows)
    else:
        # Also what was sealed since the generation was read: its chunks are gone then.
        count = end - start
        params = (start, count, start, count, segment.pk)
        ((k, ids, logprobs),) = sql.rows(CANDIDATES, *params)
        return k, unpack_ids(ids), unpack_floats(logprobs)
    width = 4 * k
    return (
        k,
        unpack_ids(ids[start * width : end * width]),
        unpack_floats(logprobs[start * width : end * width]),
    )


def extend(path: Path, segment: Segment) -> Path:
    """The path with the whole of a segment that continues it."""
    return Path((*path.pieces, Piece(segment, segment.length)))


def spans_in(segment: Segment) -> list[Span]:
    """The stored spans of a segment; what a model sampled has none."""
    if segment.origin in SCORED:
        return []
    return list(Span.objects.filter(SPOKEN, segment_id=segment.pk).order_by("start", "-end"))
