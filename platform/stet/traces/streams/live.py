"""A generation as the process that reads it holds it: received, logged, shown."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from stet.policies.clusters import TextRows
from stet.policies.samplers.base import Piece
from stet.policies.sampling import Sampling
from stet.traces.streams.replay import Replay


@dataclass(frozen=True)
class Request:
    """Everything that a reader needs; ``prompt`` is exactly the ids of the path [T]."""

    generation_id: UUID
    segment_id: UUID
    prompt: Sequence[int]
    sampling: Sampling
    model: str
    vocab_size: int
    cache_salt: str
    rows: TextRows
    priority: int = 0
    ahead_in: int | None = None
    """The episode that a look-ahead belongs to."""
    replay: Replay | None = None
    """The stored answer that is given again instead of a new one."""


@dataclass(frozen=True)
class Pending:
    """Tokens that arrived and are not logged yet: ids [n], candidates [n*k]."""

    generation_id: UUID
    start: int
    seq: int
    k: int
    ids: bytes
    logprobs: bytes
    candidate_ids: bytes
    candidate_logprobs: bytes


@dataclass
class Live:
    """``received`` counts tokens in memory, ``logged`` those that may leave.

    ``released`` is set once the row of the generation is committed; nothing is logged before.
    """

    request: Request
    ids: array[int] = field(default_factory=lambda: array("i"))
    logprobs: array[float] = field(default_factory=lambda: array("f"))
    candidate_ids: array[int] = field(default_factory=lambda: array("i"))
    candidate_logprobs: array[float] = field(default_factory=lambda: array("f"))
    k: int = 20
    logged: int = 0
    rows: list[list[Any]] = field(default_factory=list)
    end: dict[str, Any] | None = None
    stop_status: str | None = None
    begun: bool = False
    released: asyncio.Event = field(default_factory=asyncio.Event)
    ending: bool = False
    watchers: set[asyncio.Event] = field(default_factory=set)
    watched_at: float = 0.0
    task: asyncio.Task[None] | None = None
    _frame: tuple[int, int, bytes] = (0, 0, b"")

    @property
    def key(self) -> UUID:
        return self.request.generation_id

    @property
    def received(self) -> int:
        return len(self.ids)

    def feed(self, piece: Piece) -> None:
        """Take what the sampler yielded."""
        self.ids.extend(piece.ids)
        self.logprobs.extend(piece.logprobs)
        self.candidate_ids.extend(piece.candidate_ids)
        self.candidate_logprobs.extend(piece.candidate_logprobs)
        self.k = piece.k

    def pending(self) -> Pending | None:
        """What the log does not have yet."""
        a, b, k = self.logged, len(self.ids), self.k
        if a == b or not self.released.is_set():
            return None
        return Pending(
            self.key,
            a,
            b,
            k,
            self.ids[a:b].tobytes(),
            self.logprobs[a:b].tobytes(),
            self.candidate_ids[a * k : b * k].tobytes(),
            self.candidate_logprobs[a * k : b * k].tobytes(),
        )

    def show(self, upto: int) -> None:
        """The log holds ``upto`` tokens now: make their rows and wake the watchers."""
        known = len(self.rows)
        new = self.request.rows.feed(self.ids[known:upto])
        for row, logprob in zip(new, self.logprobs[known:upto], strict=True):
            text = [row[0], row[1], wire(logprob)]
            self.rows.append(text if row[2] is None else [*text, row[2]])
        self.logged = upto
        self.wake()

    def finish(self, end: dict[str, Any]) -> None:
        self.end = end
        self.wake()

    def wake(self) -> None:
        for event in self.watchers:
            event.set()

    def frame(self, after: int) -> bytes | None:
        """The tokens after the first ``after`` as one message; watchers in step share its bytes."""
        upto = len(self.rows)
        if after >= upto:
            return None
        if self._frame[:2] != (after, upto):
            rows = self.rows[after:upto]
            self._frame = (after, upto, tokens_message(self.key, after, rows))
        return self._frame[2]


def wire(logprob: float | None) -> float | None:
    """A log-probability as JSON can hold it, with the digits that float32 has."""
    if logprob is None or not -1e30 < logprob < 1e30:
        return None
    return round(logprob, 6)


def tokens_message(generation: UUID, start: int, rows: list[list[Any]]) -> bytes:
    """A ``tokens`` message; ``seq`` is the number of ids that the reader then has."""
    return orjson.dumps(
        {
            "type": "tokens",
            "generation": generation,
            "seq": start + len(rows),
            "start": start,
            "rows": rows,
        }
    )
