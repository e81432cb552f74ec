"""Supervised fine-tuning: ids and labels, exactly as TRL and Axolotl take them untouched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson
import pyarrow as pa

from training.messages import as_columns, messages_of
from training.targets.base import (
    IDS,
    LINEAGE,
    MASK,
    MESSAGES,
    Excluded,
    Options,
    Row,
    Target,
    check,
    finished,
    lineage,
    unusable,
)
from training.trajectory import TRAINED, Trajectory

IGNORED = -100


class Sft(Target):
    """One row a submission: the accepted path, labelled where somebody here wrote or accepted it.

    Nothing is appended: a row ends at the last id of the path. Arrays are not shifted.
    """

    name = "sft"
    choices = {"finished": ("only", "any")}

    def schema(self) -> pa.Schema:
        return pa.schema(
            [
                *LINEAGE,
                ("finished", pa.bool_()),
                ("input_ids", IDS),
                ("labels", IDS),
                ("origins", MASK),
                ("messages", MESSAGES),
                ("tools", pa.string()),
            ]
        )

    def rows(self, group: Sequence[Trajectory], options: Options) -> Iterator[Row | Excluded]:
        for trajectory in group:
            reason = unusable(trajectory)
            if reason is None and not finished(trajectory) and options["finished"] == "only":
                reason = "unfinished"
            if reason is None and not TRAINED.intersection(trajectory.path.origins):
                reason = "nothing_to_train"
            yield Excluded(trajectory.sample_id, reason) if reason else self._row(trajectory)

    def _row(self, trajectory: Trajectory) -> Row:
        path = trajectory.path
        ids, origins = list(path.ids), path.origins
        tools = trajectory.task.tools
        return {
            **lineage(trajectory),
            "finished": finished(trajectory),
            "input_ids": ids,
            "labels": [
                i if origin in TRAINED else IGNORED for i, origin in zip(ids, origins, strict=True)
            ],
            "origins": origins,
            "messages": as_columns(messages_of(trajectory, path)),
            "tools": orjson.dumps(tools).decode() if tools else None,
        }

    def validate(self, row: Row) -> None:
        ids, labels, origins = row["input_ids"], row["labels"], row["origins"]
        check(len(ids) == len(labels) == len(origins), "lengths_differ")
        for i, label, origin in zip(ids, labels, origins, strict=True):
            check(label == (i if origin in TRAINED else IGNORED), "label_wrong")
        check(any(label != IGNORED for label in labels), "nothing_to_train")
        check(labels[0] == IGNORED, "no_prompt")
        check(not row["finished"] or labels[-1] == ids[-1], "end_not_trained")


TARGET = Sft()
