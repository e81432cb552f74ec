"""Where in a known answer the first fault lies, and how near a person came to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from stet.traces.models import Segment

# An end of a sentence, with what closes it; a line ends one as well.
END = re.compile(r"[.!?。！？…]+[\"'”’)\]」』）]*(?=\s|$|[^\x00-\x7f])|\n+")
TOLERANCE = 3


def sentence_of(texts: Sequence[str], index: int) -> tuple[int, int]:
    """The half-open tokens [start, end) of the sentence that token ``index`` lies in."""
    starts, length = [], 0
    for text in texts:
        starts.append(length)
        length += len(text)
    whole = "".join(texts)
    at = starts[index] + len(texts[index]) - len(texts[index].lstrip())
    low, high = 0, length
    for found in END.finditer(whole):
        if found.end() <= at:
            low = found.end()
        elif found.end() > at:
            high = found.end()
            break
    first = max(i for i, start in enumerate(starts) if start <= low)
    last = max((i for i, start in enumerate(starts) if start < high), default=index)
    return min(first, index), max(last, index) + 1


def left_at(
    tree: Mapping[UUID, tuple[UUID | None, int | None]],
    head: tuple[UUID, int],
    first: UUID,
    length: int,
) -> tuple[bool, int | None]:
    """Whether a path goes through the segment ``first``, and the index at which it leaves it.

    ``tree`` has parent and fork of each segment. None where the whole of ``first`` was kept.
    """
    segment: UUID | None
    segment, kept = head
    while segment is not None and segment != first:
        parent, fork = tree[segment]
        segment, kept = parent, fork or 0
    if segment is None:
        return False, None
    return True, kept if kept < length else None


def leaves(segments: Sequence[Segment]) -> dict[UUID, tuple[UUID | None, int | None]]:
    return {row.pk: (row.parent_id, row.fork_at) for row in segments}


@dataclass
class Score:
    """How a person did on tasks with a known answer: counts, and of how many."""

    person: Any
    n: int = 0
    faulty: int = 0
    detected: int = 0
    located: int = 0
    exact: int = 0
    near: int = 0
    sentence: int = 0
    asked: int = 0
    answered: int = 0
    tasks: list[int] = field(default_factory=list)

    def add(self, gold: Mapping[str, Any], found: int | None, answers: Mapping[str, Any]) -> None:
        """Count one submission: the index of its first change (None for none), its answers."""
        fault = gold["fault"]
        self.n += 1
        self.detected += (fault is None) == (found is None)
        if fault is not None:
            self.faulty += 1
            if found is not None:
                self.located += 1
                self.exact += found == fault["index"]
                self.near += abs(found - fault["index"]) <= TOLERANCE
                self.sentence += fault["sentence"][0] <= found < fault["sentence"][1]
        for key, value in gold["answers"].items():
            self.asked += 1
            self.answered += _same(answers.get(key), value)

    def document(self) -> dict[str, Any]:
        """Shares of what there was to find; null where there was nothing."""
        return {
            "person": {"id": self.person.pk, "name": str(self.person)},
            "n": self.n,
            "faulty": self.faulty,
            "detection": _share(self.detected, self.n),
            "exact": _share(self.exact, self.faulty),
            "near": _share(self.near, self.faulty),
            "sentence": _share(self.sentence, self.faulty),
            "answers": _share(self.answered, self.asked),
        }


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return type(one) is type(other) and bool(one == other)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
