"""Segments are appended, with the digest that chains them."""

from __future__ import annotations

from collections.abc import Sequence

from stet.common.packing import pack_floats, pack_ids
from stet.traces.digests import segment_digest
from stet.traces.models import Episode, Origin, Segment
from stet.traces.paths import Path


def segment_append(
    *,
    episode: Episode | None,
    path: Path,
    ids: Sequence[int],
    origin: Origin,
    logprobs: Sequence[float] | None = None,
    policy_id: int | None = None,
) -> Segment:
    """A run of ids [T] behind the whole of ``path``; the path's tip becomes the parent."""
    tip = path.tip
    packed = pack_ids(ids)
    scores = None if logprobs is None else pack_floats(logprobs)
    return Segment.objects.create(
        task_id=tip.segment.task_id,
        round=tip.segment.round,
        episode=episode,
        parent=tip.segment,
        fork_at=tip.length,
        start=tip.end,
        length=len(ids),
        origin=origin,
        policy_id=policy_id,
        tokenizer_sha256=tip.segment.tokenizer_sha256,
        ids=packed,
        logprobs=scores,
        digest=segment_digest(
            parent_digest=bytes(tip.segment.digest),
            fork_at=tip.length,
            origin=origin,
            policy_id=policy_id,
            ids=packed,
            logprobs=scores,
        ),
    )
