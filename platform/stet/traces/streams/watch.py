"""Watching a generation from the id after the last one that is known, wherever it is read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

from stet.common.packing import unpack_floats, unpack_ids
from stet.policies.clusters import TextRows
from stet.policies.tokenizer import load_tokenizer
from stet.traces.failures import failure_document
from stet.traces.models import Chunk, Generation, Segment
from stet.traces.selectors import prefix_ids
from stet.traces.streams import notices
from stet.traces.streams.hub import end_of
from stet.traces.streams.live import Live, tokens_message, wire
from stet.traces.streams.runtime import hub
from stet.traces.streams.threads import in_thread

POLL = 0.25
TELL_EVERY = 15.0


async def watch(generation_id: UUID, after: int) -> AsyncIterator[bytes]:
    """Messages about a generation whose first ``after`` ids the reader already has.

    An ``after`` beyond what is known (a log that did not survive) gives one ``reset`` first.
    """
    live = hub().lives.get(generation_id)
    source = _here(live, after) if live is not None else _elsewhere(generation_id, after)
    async for message in source:
        yield message


async def _here(live: Live, after: int) -> AsyncIterator[bytes]:
    event = asyncio.Event()
    live.watchers.add(event)
    try:
        if after > live.received + 1:
            yield reset_message(live.key, live.rows)
            after = len(live.rows)
        while True:
            event.clear()
            if frame := live.frame(after):
                after = len(live.rows)
                yield frame
                continue
            if live.end is not None:
                if after <= len(live.rows):
                    yield end_message(live.key, live.end)
                return
            await event.wait()
    finally:
        live.watchers.discard(event)
        live.watched_at = time.monotonic()


async def _elsewhere(generation_id: UUID, after: int) -> AsyncIterator[bytes]:
    reader = await in_thread(StoredRows, generation_id)
    told = 0.0
    first = True
    while True:
        generation, rows = await in_thread(reader.read)
        if first and after > len(rows) + (generation.ended_at is not None):
            yield reset_message(generation_id, rows)
            after = len(rows)
        first = False
        if after < len(rows):
            yield tokens_message(generation_id, after, rows[after:])
            after = len(rows)
        if generation.ended_at is not None:
            if after <= len(rows):
                yield end_message(generation_id, end_of(generation))
            return
        if time.monotonic() - told > TELL_EVERY:
            await in_thread(notices.tell, notices.WATCH, generation_id)
            told = time.monotonic()
        await asyncio.sleep(POLL)


class StoredRows:
    """The rows of a generation that this process does not read, from the database."""

    def __init__(self, generation_id: UUID) -> None:
        generation = Generation.objects.select_related("policy").get(pk=generation_id)
        self.generation = generation
        self.rows: list[list[Any]] = []
        tokenizer = load_tokenizer(Path(generation.policy.tokenizer_dir))
        self._text = TextRows.after(tokenizer, prefix_ids(generation))

    def read(self) -> tuple[Generation, list[list[Any]]]:
        """The generation as it is now, and every row so far."""
        self.generation.refresh_from_db(
            fields=["status", "n_tokens", "finish_reason", "error", "parent", "ended_at"]
        )
        known = len(self.rows)
        if self.generation.ended_at is None or self.generation.ahead:
            chunks = Chunk.objects.filter(generation=self.generation, start__gte=known)
            for chunk in chunks.order_by("start"):
                if chunk.start == len(self.rows):
                    self._add(bytes(chunk.ids), bytes(chunk.logprobs))
        else:
            segment = Segment.objects.filter(pk=self.generation.segment_id).first()
            if segment is not None and known < segment.length:
                ids, scores = bytes(segment.ids), bytes(segment.logprobs or b"")
                self._add(ids[4 * known :], scores[4 * known :])
        return self.generation, self.rows

    def _add(self, ids: bytes, logprobs: bytes) -> None:
        for row, logprob in zip(
            self._text.feed(unpack_ids(ids)), unpack_floats(logprobs), strict=True
        ):
            text = [row[0], row[1], wire(logprob)]
            self.rows.append(text if row[2] is None else [*text, row[2]])


def end_message(generation: UUID, end: dict[str, Any]) -> bytes:
    """The last message, in the language of whoever watches."""
    error = failure_document(end["error"])
    return orjson.dumps({**end, "generation": generation, "error": error})


def reset_message(generation: UUID, rows: list[list[Any]]) -> bytes:
    """What there really is, for a reader that knows more than the log does."""
    return orjson.dumps({"type": "reset", "generation": generation, "seq": len(rows), "rows": rows})
