"""What an export target is given: one handed-in episode, with all its branches, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Protocol
from uuid import UUID

from annotate.models import Submission
from stet.policies.models import PolicyVersion
from stet.projects.models import Task
from stet.traces.models import (
    Candidates,
    Correction,
    Episode,
    Generation,
    Origin,
    Segment,
    Span,
)
from stet.traces.paths import Path, Piece, path_of

ANSWER = frozenset({Origin.MODEL, Origin.CANDIDATE, Origin.HUMAN, Origin.FOREIGN})
TRAINED = frozenset({Origin.MODEL, Origin.CANDIDATE, Origin.HUMAN})


class Texts(Protocol):
    """The part of a tokenizer that targets need."""

    def text_of(self, ids: Iterable[int]) -> str: ...

    def is_special(self, token_id: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer: half-open positions [start, end) of a path, all of answering origins."""

    start: int
    end: int
    finished: bool


@dataclass(frozen=True)
class Branch:
    """A path that was walked and left, to its end.

    ``divergence`` is the first position whose id differs from the accepted path's; None where
    one of the two only begins the other.
    """

    path: Path
    divergence: int | None

    @property
    def key(self) -> str:
        return str(self.path.tip.segment.pk)


@dataclass(frozen=True)
class Trajectory:
    """A submission and everything that was written for its episode up to the watermark.

    ``tree`` has every segment that the episode's paths may use, in the order in which they were
    made; ``reasons`` is the latest reason of a correction; ``annotator`` names no person.
    """

    submission: Submission
    tree: Mapping[UUID, Segment]
    policy: PolicyVersion | None
    policies: Mapping[int, PolicyVersion]
    texts: Texts | None
    pad_token_id: int | None = None
    generations: Mapping[UUID, Generation] = field(default_factory=dict)
    candidates: Mapping[UUID, Candidates] = field(default_factory=dict)
    spans: Mapping[UUID, tuple[Span, ...]] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    reasons: Mapping[int, str] = field(default_factory=dict)
    annotator: str = ""
    snapshot: str = ""

    @property
    def episode(self) -> Episode:
        return self.submission.episode

    @property
    def task(self) -> Task:
        return self.episode.task

    @property
    def sample_id(self) -> str:
        return f"e{self.episode.pk}.{self.submission.n}"

    @property
    def eos(self) -> frozenset[int]:
        return frozenset(self.policy.eos_token_ids if self.policy else ())

    @cached_property
    def path(self) -> Path:
        """The accepted path: what was handed in."""
        return self.path_to(self.submission.head_segment_id, self.submission.head_length)

    def path_to(self, segment: UUID, length: int | None = None) -> Path:
        return path_of(self.tree, segment, length)

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """Every other path to an end, oldest first, without those that the accepted path holds."""
        taken = {(s.parent_id, s.fork_at) for s in self.tree.values()}
        tips = [s for s in self.tree.values() if (s.pk, s.length) not in taken]
        paths = [self.path_to(tip.pk) for tip in tips]
        accepted = self.path.ids
        found = [Branch(path, divergence(accepted, path.ids)) for path in paths]
        return tuple(
            branch
            for branch in found
            if branch.divergence is not None or branch.path.length > len(accepted)
        )

    def turns(self, path: Path) -> list[Turn]:
        """The answers of a path in order."""
        found = []
        runs = groupby(path.pieces, lambda piece: Origin(piece.segment.origin) in ANSWER)
        for answers, run in runs:
            if answers:
                pieces = list(run)
                end = pieces[-1].end
                found.append(Turn(pieces[0].start, end, path.ids[end - 1] in self.eos))
        return found

    def sampled(self, path: Path) -> Iterator[tuple[Piece, Generation | None]]:
        """Pieces of sampled tokens, each with the generation that made it."""
        for piece in path.pieces:
            if piece.segment.origin == Origin.MODEL:
                yield piece, self.generations.get(piece.segment.pk)

    @cached_property
    def mixed_tokenizers(self) -> bool:
        """Whether some segment was cut with another tokenizer than the policy's."""
        own = {segment.tokenizer_sha256 for segment in self.tree.values()}
        return self.policy is not None and own != {self.policy.tokenizer_sha256}


def divergence(one: Iterable[int], other: Iterable[int]) -> int | None:
    """The first position at which two sequences of ids differ, None if one begins the other."""
    for position, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return position
    return None
