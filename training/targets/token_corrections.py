"""Token corrections: a prefix, what stood there, and what a person put in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from stet.common.http import finite
from stet.common.packing import unpack_floats, unpack_ids
from stet.traces.models import Correction, Origin
from training.targets.base import (
    FLOATS,
    IDS,
    LINEAGE,
    Excluded,
    Options,
    Row,
    Target,
    check,
    lineage,
    unusable,
)
from training.trajectory import Trajectory


class TokenCorrections(Target):
    """One row a correction; a correction that was taken back only if it is asked for."""

    name = "token-corrections"
    choices = {"undone": ("drop", "keep")}
    needs_candidates = True

    def schema(self) -> pa.Schema:
        return pa.schema(
            [
                *LINEAGE,
                ("correction", pa.int64()),
                ("kept", pa.bool_()),
                ("position", pa.int32()),
                ("prefix_ids", IDS),
                ("rejected_ids", IDS),
                ("accepted_ids", IDS),
                ("rejected_logprobs", FLOATS),
                ("accepted_logprobs", FLOATS),
                ("how", pa.string()),
                ("rank", pa.int32()),
                ("canonical", pa.bool_()),
                ("typed_text", pa.string()),
                ("reason", pa.string()),
                ("active_ms", pa.int64()),
                ("candidate_ids", IDS),
                ("candidate_logprobs", FLOATS),
            ]
        )

    def rows(self, group: Sequence[Trajectory], options: Options) -> Iterator[Row | Excluded]:
        for trajectory in group:
            reason = unusable(trajectory)
            if reason is None and not trajectory.corrections:
                reason = "no_correction"
            if reason is not None:
                yield Excluded(trajectory.sample_id, reason)
                continue
            on_path = {piece.segment.pk for piece in trajectory.path.pieces}
            for correction in trajectory.corrections:
                kept = correction.new_segment_id in on_path
                if kept or options["undone"] == "keep":
                    yield _row(trajectory, correction, kept)
                else:
                    yield Excluded(f"{trajectory.sample_id}/c{correction.pk}", "undone")

    def validate(self, row: Row) -> None:
        rejected, accepted = row["rejected_ids"], row["accepted_ids"]
        check(len(row["prefix_ids"]) == row["position"], "prefix_wrong")
        check(bool(rejected) and bool(accepted), "empty")
        check(rejected != accepted, "same_token")
        check(len(row["rejected_logprobs"]) == len(rejected), "lengths_differ")
        check(len(row["accepted_logprobs"]) == len(accepted), "lengths_differ")
        ids, logprobs = row["candidate_ids"], row["candidate_logprobs"]
        check(len(ids) == len(logprobs), "lengths_differ")
        check(row["rank"] is None or accepted[0] in ids or not ids, "rank_without_candidate")


def _row(trajectory: Trajectory, correction: Correction, kept: bool) -> Row:
    before = trajectory.path_to(correction.segment_id)
    segment, accepted = before.tip.segment, trajectory.tree[correction.new_segment_id]
    rejected = list(correction.rejected)
    ids, logprobs = candidates_at(trajectory, correction)
    return {
        **lineage(trajectory),
        "sample_id": f"{trajectory.sample_id}/c{correction.pk}",
        "correction": correction.pk,
        "kept": kept,
        "position": correction.position,
        "prefix_ids": list(before.ids[: segment.start + correction.index]),
        "rejected_ids": rejected,
        "accepted_ids": list(correction.accepted),
        "rejected_logprobs": _logprobs(segment, correction.index, len(rejected)),
        "accepted_logprobs": _logprobs(accepted, 0, len(correction.accepted)),
        "how": correction.how,
        "rank": correction.rank,
        "canonical": correction.canonical,
        "typed_text": correction.typed_text or None,
        "reason": trajectory.reasons.get(correction.pk),
        "active_ms": correction.active_ms,
        "candidate_ids": ids,
        "candidate_logprobs": logprobs,
    }


def _logprobs(segment: Any, index: int, count: int) -> list[float | None]:
    if segment.logprobs is None:
        return [None] * count
    stored = unpack_floats(segment.logprobs)[index : index + count]
    return [finite(value) for value in stored] + [None] * (count - len(stored))


def candidates_at(
    trajectory: Trajectory, correction: Correction
) -> tuple[list[int], list[float | None]]:
    """What the person could choose from, best first; empty where the tokens were typed."""
    by_new = {one.new_segment_id: one for one in trajectory.corrections}
    segment, index = trajectory.tree[correction.segment_id], correction.index
    while segment.origin != Origin.MODEL and index == 0 and segment.pk in by_new:
        earlier = by_new[segment.pk]
        if segment.origin != Origin.CANDIDATE and earlier.how != Correction.How.END_HERE:
            break
        segment, index = trajectory.tree[earlier.segment_id], earlier.index
    stored = trajectory.candidates.get(segment.pk)
    if stored is None:
        return [], []
    window = slice(index * stored.k, (index + 1) * stored.k)
    pairs = zip(unpack_ids(stored.ids)[window], unpack_floats(stored.logprobs)[window], strict=True)
    known = [(i, finite(value)) for i, value in pairs if i >= 0]
    return [i for i, _ in known], [value for _, value in known]


TARGET = TokenCorrections()
