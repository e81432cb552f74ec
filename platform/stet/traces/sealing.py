"""Sealing: the log of a generation becomes one segment, in one transaction, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from stet.traces.digests import segment_digest
from stet.traces.failures import OWNER_LOST
from stet.traces.models import Candidates, Chunk, Episode, Generation, Origin, Segment

HEARTBEAT_LIMIT = timedelta(seconds=15)


@transaction.atomic
def generation_seal(
    generation_id: UUID,
    *,
    status: str,
    finish_reason: str = "",
    stop_reason: Any = None,
    error: dict[str, Any] | None = None,
    usage: dict[str, Any] | None = None,
    only_if_stale: bool = False,
) -> Generation:
    """Write the segment from the chunk log and close the generation; a second call changes nothing.

    Without a token there is no segment: heads that waited for it go back to where it forked off.
    A look-ahead keeps its log, which is a segment only once it is taken.
    """
    rows = Generation.objects.select_for_update(of=("self",)).select_related("parent", "task")
    rows = rows.filter(pk=generation_id)
    if only_if_stale:
        rows = rows.filter(heartbeat_at__lt=Now() - HEARTBEAT_LIMIT)
    generation = rows.first()
    if generation is None or generation.ended_at is not None:
        return generation or Generation.objects.get(pk=generation_id)
    chunks = list(Chunk.objects.filter(generation=generation).order_by("start"))
    if generation.ahead:
        if status != Generation.Status.FAILED:
            status = Generation.Status.LOOKAHEAD
    elif chunks:
        segment_write(generation, chunks)
    else:
        Episode.objects.filter(head_segment_id=generation.segment_id).update(
            head_segment_id=generation.parent_id, head_length=generation.fork_at
        )
    generation.status = status
    generation.finish_reason = finish_reason
    generation.stop_reason = stop_reason
    generation.error = error
    generation.usage = usage
    generation.n_tokens = sum(chunk.seq - chunk.start for chunk in chunks)
    generation.owner = None
    generation.ended_at = Now()
    generation.save(
        update_fields=[
            "status",
            "finish_reason",
            "stop_reason",
            "error",
            "usage",
            "n_tokens",
            "owner",
            "ended_at",
        ]
    )
    return generation


def segment_write(
    generation: Generation, chunks: list[Chunk], *, seen_before_pick: bool = False
) -> Segment:
    """The log of a generation as the segment behind its parent; the log rows go."""
    reached = 0
    for chunk in chunks:
        if chunk.start != reached:
            raise ValueError(f"the log of generation {generation.pk} has a gap at {reached}")
        reached = chunk.seq
    ids = b"".join(bytes(chunk.ids) for chunk in chunks)
    logprobs = b"".join(bytes(chunk.logprobs) for chunk in chunks)
    parent, fork_at = generation.parent, generation.fork_at
    assert parent is not None
    segment = Segment.objects.create(
        id=generation.segment_id,
        task_id=generation.task_id,
        round=generation.round,
        episode_id=None if generation.shared else generation.episode_id,
        parent=parent,
        fork_at=fork_at,
        start=generation.start,
        length=reached,
        origin=Origin.MODEL,
        policy_id=generation.policy_id,
        tokenizer_sha256=parent.tokenizer_sha256,
        ids=ids,
        logprobs=logprobs,
        seen_before_pick=seen_before_pick,
        digest=segment_digest(
            parent_digest=bytes(parent.digest),
            fork_at=fork_at,
            origin=Origin.MODEL,
            policy_id=generation.policy_id,
            ids=ids,
            logprobs=logprobs,
        ),
    )
    Candidates.objects.create(
        segment=segment,
        k=chunks[0].k,
        ids=b"".join(bytes(chunk.candidate_ids) for chunk in chunks),
        logprobs=b"".join(bytes(chunk.candidate_logprobs) for chunk in chunks),
    )
    Chunk.objects.filter(generation=generation).delete()
    return segment


def generations_sweep() -> int:
    """Seal as interrupted every generation whose owner went silent; returns how many."""
    stale = Generation.objects.filter(
        ended_at__isnull=True, heartbeat_at__lt=Now() - HEARTBEAT_LIMIT
    )
    ids = list(stale.values_list("pk", flat=True)[:100])
    for pk in ids:
        generation_seal(
            pk,
            status=Generation.Status.INTERRUPTED,
            error=OWNER_LOST,
            only_if_stale=True,
        )
    return len(ids)
