"""Paths: from the root to a segment, each ancestor cut where its child forks off."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from stet.common.packing import unpack_floats, unpack_ids
from stet.traces.models import Origin, Segment


@dataclass(frozen=True)
class Piece:
    """The first ``length`` tokens of a segment, as part of a path."""

    segment: Segment
    length: int

    @property
    def start(self) -> int:
        return self.segment.start

    @property
    def end(self) -> int:
        return self.segment.start + self.length

    @property
    def ids(self) -> array[int]:
        return unpack_ids(memoryview(self.segment.ids)[: 4 * self.length])

    @property
    def logprobs(self) -> list[float | None]:
        if self.segment.logprobs is None:
            return [None] * self.length
        return list(unpack_floats(memoryview(self.segment.logprobs)[: 4 * self.length]))


@dataclass(frozen=True)
class Path:
    """Pieces in order; positions run from 0 without a gap."""

    pieces: tuple[Piece, ...]

    @property
    def length(self) -> int:
        return self.pieces[-1].end

    @property
    def tip(self) -> Piece:
        return self.pieces[-1]

    @property
    def root(self) -> Segment:
        return self.pieces[0].segment

    @cached_property
    def ids(self) -> array[int]:
        """Every token id of the path [T]."""
        ids = array("i")
        for piece in self.pieces:
            ids.extend(piece.ids)
        return ids

    @cached_property
    def origins(self) -> list[int]:
        return [int(piece.segment.origin) for piece in self.pieces for _ in range(piece.length)]

    @cached_property
    def logprobs(self) -> list[float | None]:
        """The stored log-probability of each token [T], null where none was sampled."""
        return [value for piece in self.pieces for value in piece.logprobs]

    def at(self, position: int) -> tuple[Segment, int]:
        """The segment and the index in it of an absolute position."""
        for piece in self.pieces:
            if piece.start <= position < piece.end:
                return piece.segment, position - piece.start
        raise IndexError(position)

    def cut(self, length: int) -> Path:
        """The first ``length`` tokens of this path."""
        kept = []
        for piece in self.pieces:
            if piece.start < length:
                kept.append(Piece(piece.segment, min(piece.length, length - piece.start)))
        return Path(tuple(kept))


def path_of(tree: Mapping[UUID, Segment], segment_id: UUID, length: int | None = None) -> Path:
    """The path of the first ``length`` tokens (all of them if None) of a segment of ``tree``."""
    pieces: list[Piece] = []
    segment = tree[segment_id]
    keep = segment.length if length is None else length
    while True:
        pieces.append(Piece(segment, keep))
        if segment.parent_id is None:
            return Path(tuple(reversed(pieces)))
        assert segment.fork_at is not None
        keep = segment.fork_at
        segment = tree[segment.parent_id]


def by_id(segments: Iterable[Segment]) -> dict[UUID, Segment]:
    return {segment.pk: segment for segment in segments}


ANSWER = frozenset({Origin.MODEL, Origin.CANDIDATE, Origin.HUMAN, Origin.FOREIGN})
