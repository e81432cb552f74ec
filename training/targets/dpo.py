"""Preferences: the accepted answer against every branch that was left, as ids and as messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from training.messages import Message, as_columns, messages_of
from training.targets.base import (
    IDS,
    LINEAGE,
    MESSAGES,
    Excluded,
    Options,
    Row,
    Target,
    check,
    lineage,
    unusable,
)
from training.trajectory import Branch, Trajectory, Turn


class Dpo(Target):
    """One row per abandoned branch that differs from the accepted path inside an answer.

    ``prompt_ids`` is everything before the answer in which the two differ, ``chosen_ids`` and
    ``rejected_ids`` are that answer on either side, each to its end and with nothing appended.
    ``divergence`` is the index in both at which they first differ, where a loss may begin.
    """

    name = "dpo"
    choices = {"finished": ("only", "any"), "rejected": ("any", "finished")}

    def schema(self) -> pa.Schema:
        return pa.schema(
            [
                *LINEAGE,
                ("branch", pa.string()),
                ("correction", pa.int64()),
                ("divergence", pa.int32()),
                ("chosen_finished", pa.bool_()),
                ("rejected_finished", pa.bool_()),
                ("prompt_ids", IDS),
                ("chosen_ids", IDS),
                ("rejected_ids", IDS),
                ("prompt", MESSAGES),
                ("chosen", MESSAGES),
                ("rejected", MESSAGES),
            ]
        )

    def rows(self, group: Sequence[Trajectory], options: Options) -> Iterator[Row | Excluded]:
        for trajectory in group:
            reason = unusable(trajectory)
            if reason is None and not trajectory.branches:
                reason = "no_branch"
            if reason is not None:
                yield Excluded(trajectory.sample_id, reason)
                continue
            seen: set[tuple[int, bytes]] = set()
            for branch in trajectory.branches:
                row = self._pair(trajectory, branch, options)
                if isinstance(row, dict):
                    content = (len(row["prompt_ids"]), repr(row["rejected_ids"]).encode())
                    if content in seen:
                        row = Excluded(f"{trajectory.sample_id}/{branch.key}", "same_rejected")
                    seen.add(content)
                yield row

    def _pair(self, trajectory: Trajectory, branch: Branch, options: Options) -> Row | Excluded:
        name = f"{trajectory.sample_id}/{branch.key}"
        at = branch.divergence
        if at is None:
            return Excluded(name, "no_divergence")
        chosen = _turn_at(trajectory.turns(trajectory.path), at)
        rejected = _turn_at(trajectory.turns(branch.path), at)
        if chosen is None or rejected is None or chosen.start != rejected.start:
            return Excluded(name, "other_prompt")
        if not chosen.finished and options["finished"] == "only":
            return Excluded(name, "unfinished")
        if not rejected.finished and options["rejected"] == "finished":
            return Excluded(name, "rejected_unfinished")
        accepted, left = trajectory.path, branch.path
        return {
            **lineage(trajectory),
            "sample_id": name,
            "branch": branch.key,
            "correction": _correction(trajectory, at),
            "divergence": at - chosen.start,
            "chosen_finished": chosen.finished,
            "rejected_finished": rejected.finished,
            "prompt_ids": list(accepted.ids[: chosen.start]),
            "chosen_ids": list(accepted.ids[chosen.start : chosen.end]),
            "rejected_ids": list(left.ids[rejected.start : rejected.end]),
            "prompt": as_columns(_prompt(trajectory, chosen)),
            "chosen": as_columns(messages_of(trajectory, accepted.cut(chosen.end))[-1:]),
            "rejected": as_columns(messages_of(trajectory, left.cut(rejected.end))[-1:]),
        }

    def validate(self, row: Row) -> None:
        at, chosen, rejected = row["divergence"], row["chosen_ids"], row["rejected_ids"]
        check(bool(row["prompt_ids"]), "no_prompt")
        check(0 <= at < min(len(chosen), len(rejected)), "no_divergence")
        check(chosen[:at] == rejected[:at] and chosen[at] != rejected[at], "divergence_wrong")
        check(len(row["chosen"]) == len(row["rejected"]) == 1, "answer_missing")


def _turn_at(turns: Sequence[Turn], position: int) -> Turn | None:
    return next((turn for turn in turns if turn.start <= position < turn.end), None)


def _prompt(trajectory: Trajectory, turn: Turn) -> list[Message]:
    """The messages before an answer; the kept beginning of an answer belongs to the answer."""
    messages = messages_of(trajectory, trajectory.path.cut(turn.start))
    root = trajectory.path.pieces[0]
    forked = turn.start == root.length < root.segment.length
    return messages[:-1] if forked and messages[-1]["role"] == "assistant" else messages


def _correction(trajectory: Trajectory, position: int) -> int | None:
    kept = {piece.segment.pk for piece in trajectory.path.pieces}
    for correction in trajectory.corrections:
        if correction.position == position and correction.new_segment_id in kept:
            return correction.pk
    return None


TARGET = Dpo()
