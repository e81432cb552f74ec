"""Where the steps and calls of an episode stand in its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from stet.traces.dialogue import conversation, message_forked
from stet.traces.models import Episode, Origin, Span
from stet.traces.paths import ANSWER, Path
from stet.traces.selectors import head_path, spans_of
from stet.traces.steps import Run, run_of

SAMPLED = ANSWER - {Origin.FOREIGN}


@dataclass(frozen=True, slots=True)
class Place:
    """Absolute positions [start, end) of the path of ``segment``, at a level."""

    segment: UUID
    level: str
    start: int
    end: int
    ordinal: int = 0


@dataclass(frozen=True)
class Located:
    """A run and where its parts stand on a path; a step without text stands nowhere."""

    path: Path
    run: Run
    messages: dict[int, tuple[int, int]]
    calls: dict[int, tuple[int, int]]

    def whole(self) -> Place:
        """The whole episode, named by its tip."""
        return Place(self.path.tip.segment.pk, Span.Level.EPISODE, 0, self.path.length)

    def tokens(self, start: int, end: int) -> Place:
        """Tokens [start, end); raises IndexError outside the path."""
        if not 0 <= start < end <= self.path.length:
            raise IndexError(end)
        return self._place(Span.Level.TOKEN, start, end, 0)

    def step(self, ordinal: int) -> Place | None:
        """The place of a step, None where it has no text; raises IndexError for none such."""
        if ordinal < 0:
            raise IndexError(ordinal)
        found = self.messages.get(self.run.steps[ordinal].message)
        return self._place(Span.Level.STEP, *found, ordinal) if found else None

    def call(self, ordinal: int) -> Place | None:
        """The place of a call: its own text, else the step that makes it."""
        for step in self.run.steps:
            if any(call.ordinal == ordinal for call in step.calls):
                found = self.calls.get(ordinal) or self.messages.get(step.message)
                return self._place(Span.Level.CALL, *found, ordinal) if found else None
        raise IndexError(ordinal)

    def message(self, index: int) -> Place:
        """The place of a message, counted from the first; raises IndexError where it has none."""
        if index not in self.messages:
            raise IndexError(index)
        return self._place(Span.Level.MESSAGE, *self.messages[index], index)

    def _place(self, level: str, start: int, end: int, ordinal: int) -> Place:
        segment, _index = self.path.at(end - 1)
        return Place(segment.pk, level, start, end, ordinal)


def located(episode: Episode, path: Path | None = None) -> Located:
    """The episode's run, and the places of its parts on ``path`` (its head's, if None)."""
    path = head_path(episode) if path is None else path
    messages = conversation(episode, path)
    spans = spans_of(path, cut=True)
    places = {
        span.ordinal: (span.start, span.end) for span in spans if span.level == Span.Level.MESSAGE
    }
    calls = {
        span.ordinal: (span.start, span.end) for span in spans if span.level == Span.Level.CALL
    }
    if episode.policy_id is not None:
        places = {at: place for at, place in places.items() if _given(messages, at, place, path)}
        missing = (
            at for at, one in enumerate(messages) if one["role"] == "assistant" and at not in places
        )
        places.update(zip(missing, _answers(path), strict=False))
    return Located(path, run_of(messages, episode.task.tools), places, calls)


def _given(messages: list[dict[str, Any]], at: int, place: tuple[int, int], path: Path) -> bool:
    """Whether a message's stored span is the whole of it: not where an answer goes on from it."""
    root = path.pieces[0]
    return at < len(messages) and not (
        messages[at]["role"] == "assistant" and place[1] == root.end < path.length
    )


def _answers(path: Path) -> Iterator[tuple[int, int]]:
    """[start, end) of each run of sampled and corrected tokens; one that goes on from a message of
    the prompt begins where that does."""
    cut = message_forked(path)
    start = cut.start if cut is not None else None
    for piece in path.pieces[1:]:
        if piece.segment.origin in SAMPLED:
            start = piece.start if start is None else start
        elif start is not None:
            yield start, piece.start
            start = None
    if start is not None:
        yield start, path.length
