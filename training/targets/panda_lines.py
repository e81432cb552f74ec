"""The branches of an episode as lines: which version of an answer came out of which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from stet.traces.models import Correction, Segment
from stet.traces.paths import Path
from training.trajectory import Trajectory


@dataclass(frozen=True)
class Line:
    """A path to a tip, the segment with which it left the line before, and that line's tip.

    ``correction`` is the person's act that made ``first``; None where the model simply sampled
    again, or a turn was added.
    """

    path: Path
    first: Segment
    parent: UUID | None
    correction: Correction | None

    @property
    def tip(self) -> UUID:
        key: UUID = self.path.tip.segment.pk
        return key


def lines_of(trajectory: Trajectory, fits: Callable[[Path], bool]) -> Iterator[Line]:
    """Every path to an end that ``fits``, and the accepted one, oldest first.

    A line goes on with the accepted child behind a segment's last token, else with the oldest;
    every other child begins a line of its own, which came out of the line that holds the whole
    segment in which it was corrected, or from which it forked.
    """
    onward = _onward(trajectory)
    made_by = {one.new_segment_id: one for one in trajectory.corrections}
    paths = [branch.path for branch in trajectory.branches if fits(branch.path)]
    paths = sorted([*paths, trajectory.path], key=_made)
    tips = {path.tip.segment.pk for path in paths if path.tip.length == path.tip.segment.length}
    for path in paths:
        first = path.tip.segment
        if path.tip.length < first.length:
            yield Line(path, first, _holder(trajectory, onward, tips, first.pk), None)
            continue
        while first.parent_id is not None and onward.get(first.parent_id) is first:
            first = trajectory.tree[first.parent_id]
        correction = made_by.get(first.pk)
        origin = correction.segment_id if correction else first.parent_id
        yield Line(path, first, _holder(trajectory, onward, tips, origin), correction)


def _onward(trajectory: Trajectory) -> dict[UUID, Segment]:
    """The segment that goes on behind the last token of another; the accepted end has none."""
    accepted = {piece.segment.pk for piece in trajectory.path.pieces}
    tip = trajectory.path.tip
    end = tip.segment.pk if tip.length == tip.segment.length else None
    onward: dict[UUID, Segment] = {}
    for segment in sorted(trajectory.tree.values(), key=lambda one: one.pk not in accepted):
        parent = trajectory.tree.get(segment.parent_id) if segment.parent_id else None
        if parent is not None and segment.fork_at == parent.length and parent.pk != end:
            onward.setdefault(parent.pk, segment)
    return onward


def _holder(
    trajectory: Trajectory, onward: dict[UUID, Segment], tips: set[UUID], origin: UUID | None
) -> UUID | None:
    """The tip of the line that holds a whole segment, or else the nearest one before it."""
    while origin is not None:
        segment = trajectory.tree[origin]
        while segment.pk in onward:
            segment = onward[segment.pk]
        if segment.pk in tips:
            tip: UUID = segment.pk
            return tip
        origin = trajectory.tree[origin].parent_id
    return None


def _made(path: Path) -> tuple[str, str]:
    tip = path.tip.segment
    return tip.created_at.isoformat(), str(tip.pk)
