"""An answer that is stored already, given again as a stream at the pace at which it first came."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from stet.common.packing import unpack_floats, unpack_ids
from stet.policies.samplers.base import Finish, Piece
from stet.traces.models import Candidates, Generation, Segment

# Slower than this no model is that people wait for.
SLOWEST = 0.5


@dataclass(frozen=True)
class Replay:
    """Everything that the sampler said: ids and log-probabilities [T], candidates [T * k]."""

    ids: array[int]
    logprobs: array[float]
    candidate_ids: array[int]
    candidate_logprobs: array[float]
    k: int
    gap: float
    finish: Finish
    lineage: dict[str, str]


def replay_of(generation: Generation) -> Replay:
    """The sealed answer of a generation."""
    segment = Segment.objects.get(pk=generation.segment_id)
    beside = Candidates.objects.get(segment=segment)
    ended = generation.ended_at or generation.created_at
    took = (ended - generation.created_at).total_seconds()
    assert segment.logprobs is not None
    return Replay(
        ids=unpack_ids(segment.ids),
        logprobs=unpack_floats(segment.logprobs),
        candidate_ids=unpack_ids(beside.ids),
        candidate_logprobs=unpack_floats(beside.logprobs),
        k=beside.k,
        gap=min(took / segment.length, SLOWEST),
        finish=Finish(generation.finish_reason, generation.stop_reason, generation.usage),
        lineage={"replay_of": str(generation.pk)},
    )


async def replayed(replay: Replay) -> AsyncGenerator[Piece | Finish, None]:
    """Token by token, then the end."""
    k = replay.k
    for at, token in enumerate(replay.ids):
        await asyncio.sleep(replay.gap)
        yield Piece(
            array("i", [token]),
            replay.logprobs[at : at + 1],
            replay.candidate_ids[at * k : (at + 1) * k],
            replay.candidate_logprobs[at * k : (at + 1) * k],
            k,
        )
    yield replay.finish
