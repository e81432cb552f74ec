"""Candidates of a segment's positions as the page and programs read them."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path as Folder
from typing import Any
from uuid import UUID

import numpy as np
from django.utils.translation import gettext as _

from stet.common.errors import Invalid, NotFound
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from stet.traces import selectors
from stet.traces.models import Generation, Origin, Segment
from stet.traces.streams.live import wire

MAX_POSITIONS = 4096


def access_segment(user: Any, pk: UUID) -> tuple[Segment, Generation | None, bool]:
    """A stored or live segment that the user may see, and whether it is still in the making."""
    stored = Segment.objects.select_related("policy").filter(pk=pk)
    generation = Generation.objects.select_related("policy").filter(segment_id=pk).first()
    segment, live = stored.first(), False
    if segment is None and generation is not None:
        segment = selectors.live_segment(generation)
        live = segment is not None
        if segment is not None:
            segment.policy = generation.policy
        else:
            # It may have been sealed between the two reads.
            segment = stored.first()
    if segment is None:
        raise NotFound(_("There is no such segment in your projects."))
    _check_access(user, segment)
    return segment, generation, live


def _check_access(user: Any, segment: Segment) -> None:
    if segment.episode_id is not None:
        selectors.access_episode(user, segment.episode_id)
        return
    if not selectors.sees_task(user, segment.task_id):
        raise NotFound(_("There is no such segment in your projects."))


def window(segment: Segment, start: int, end: int | None) -> tuple[int, int]:
    """The asked positions, cut to what there is."""
    end = segment.length if end is None else min(end, segment.length)
    if start < 0 or end - start > MAX_POSITIONS:
        raise Invalid(
            _("Ask for at most %(count)d positions.") % {"count": MAX_POSITIONS}, code="bad_range"
        )
    return min(start, end), end


def as_rows(segment: Segment, live: Generation | None, start: int, end: int) -> dict[str, Any]:
    """JSON: for each position the sampled token, the candidates, and the mass outside the list."""
    rows: list[dict[str, Any]] = []
    k = 0
    if segment.policy is not None and end > start:
        tokenizer = load_tokenizer(Folder(segment.policy.tokenizer_dir))
        for first, source, at, count in _sources(segment, live, start, end):
            k, ids, logprobs = selectors.candidate_lists(source, live, at, at + count)
            for offset in range(count):
                cut = slice(offset * k, (offset + 1) * k)
                index = first + offset
                own = _own(segment, index)
                rows.append(_row(tokenizer, index, own, ids[cut], logprobs[cut]))
    return {"segment": str(segment.pk), "from": start, "to": end, "k": k, "rows": rows}


def _sources(
    segment: Segment, live: Generation | None, start: int, end: int
) -> Iterator[tuple[int, Segment, int, int]]:
    """(first index here, sampled segment, index there, count) of the lists of [start, end)."""
    if live is not None or segment.origin == Origin.MODEL:
        yield start, segment, start, end - start
        return
    for index in range(start, end):
        source = selectors.candidates_at(segment, index)
        if source is not None:
            yield index, *source, 1


def _own(segment: Segment, index: int) -> tuple[int, float | None]:
    token = struct.unpack_from("<i", segment.ids, 4 * index)[0]
    if segment.logprobs is None:
        return token, None
    return token, struct.unpack_from("<f", segment.logprobs, 4 * index)[0]


def _row(
    tokenizer: Tokenizer, index: int, own: tuple[int, float | None], ids: Any, logprobs: Any
) -> dict[str, Any]:
    listed = [(token, logprob) for token, logprob in zip(ids, logprobs, strict=True) if token >= 0]
    order = [token for token, _ in listed]
    mass = sum(math.exp(logprob) for _, logprob in listed)
    return {
        "index": index,
        "sampled": {
            "id": own[0],
            "text": tokenizer.text_of([own[0]]),
            "hex": _hex(tokenizer, own[0]),
            "logprob": wire(own[1]),
            "rank": order.index(own[0]) + 1 if own[0] in order else None,
        },
        "other": max(0.0, round(1.0 - mass, 6)),
        "candidates": [
            [token, tokenizer.text_of([token]), wire(logprob), _hex(tokenizer, token)]
            for token, logprob in listed
        ],
    }


def _hex(tokenizer: Tokenizer, token: int) -> str | None:
    """The bytes of a token that is no whole character by itself."""
    return None if tokenizer.whole[token] is not None else tokenizer.token_bytes(token).hex()


def as_bytes(segment: Segment, live: Generation | None, start: int, end: int) -> bytes:
    """Packed: int32 n, int32 k, ids int32 [n*k] padded with -1, log-probabilities float16 [n*k]."""
    k, ids, logprobs = selectors.candidate_lists(segment, live, start, end)
    half = np.asarray(logprobs, dtype="<f4").astype("<f2")
    return struct.pack("<ii", end - start, k) + ids.tobytes() + half.tobytes()
