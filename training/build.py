"""Turns the submissions of a dataset into the files of one export, in bounded memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from stet.common.jobs import Claim
from training import durable
from training.manifest import LINEAGE_FILE, MANIFEST_FILE, manifest
from training.models import Export
from training.selection import Entry, chunks, entries_at
from training.selectors import policies_of, trajectories
from training.targets.base import Broken, Excluded, Target, target_get
from training.trajectory import Trajectory
from training.writer import PART, SHARD_BYTES, ShardWriter, seal, write_whole

BEAT_SECONDS = 3.0


class Build:
    """One pass over the submissions, chunk by chunk, into shards in ``folder``."""

    def __init__(self, export: Export, folder: Path, claim: Claim) -> None:
        self.export, self.folder, self.claim = export, folder, claim
        self.target: Target = target_get(export.target)
        self.excluded: Counter[str] = Counter()
        self.policies: dict[str, Any] = {}
        self.rows = 0
        self.corrections = 0
        self._beat = 0.0

    def run(self) -> dict[str, Any]:
        """Write every file and return the manifest, which is the last of them."""
        found = entries_at(self.export.dataset, self.export.watermark)
        writer = ShardWriter(
            self.folder, self.target.schema(), self.target.line, shard_bytes=SHARD_BYTES
        )
        path = self.folder / LINEAGE_FILE
        with durable.create(path.with_name(path.name + PART)) as lineage:
            try:
                for chunk in chunks(found):
                    for line in self._chunk(chunk, writer):
                        lineage.write(orjson.dumps(line) + b"\n")
                    self._tell(total=len(found))
                files = writer.close()
            finally:
                writer.abandon()
            files.append(seal(lineage, path, len(found)))
        told = manifest(
            dataset=self.export.dataset,
            target=self.target,
            options=self.export.options,
            watermark=self.export.watermark,
            policies=self.policies,
            counts={
                "submissions": len(found),
                "rows": self.rows,
                "corrections": self.corrections,
            },
            excluded=self.excluded,
            files=files,
        )
        data = orjson.dumps(told, option=orjson.OPT_INDENT_2)
        write_whole(self.folder / MANIFEST_FILE, data)
        return told

    def _chunk(self, chunk: list[Entry], writer: ShardWriter) -> Iterator[dict[str, Any]]:
        """Write the rows of some submissions; gives a line of lineage for each."""
        groups = trajectories(chunk, self.export.watermark, candidates=self.target.needs_candidates)
        for group in groups:
            self.policies.update(policies_of(group))
            made: dict[int, int] = {}
            reasons: dict[str, Counter[str]] = {}
            for row in self.target.rows(group, self.export.options):
                broken = row if isinstance(row, Excluded) else self._write(row, writer)
                if broken is None:
                    assert isinstance(row, dict)
                    for episode in row.get("episodes") or [row["episode"]]:
                        made[episode] = made.get(episode, 0) + 1
                else:
                    self.excluded[broken.reason] += 1
                    base = broken.sample_id.partition("/")[0]
                    reasons.setdefault(base, Counter())[broken.reason] += 1
                self._tell()
            for trajectory in group:
                excluded = reasons.get(trajectory.sample_id, Counter())
                yield self._lineage(trajectory, made.get(trajectory.episode.pk, 0), excluded)

    def _write(self, row: dict[str, Any], writer: ShardWriter) -> Excluded | None:
        try:
            self.target.validate(row)
            writer.add(row)
        except Broken as error:
            return Excluded(row["sample_id"], error.reason)
        self.rows += 1
        return None

    def _lineage(self, trajectory: Trajectory, rows: int, excluded: Counter[str]) -> dict[str, Any]:
        submission = trajectory.submission
        self.corrections += len(trajectory.corrections)
        return {
            "sample_id": trajectory.sample_id,
            "task": trajectory.task.pk,
            "external_id": trajectory.task.external_id,
            "episode": trajectory.episode.pk,
            "submission": submission.n,
            "submitted_at": submission.created_at.isoformat(),
            "head": {"segment": str(submission.head_segment_id), "length": submission.head_length},
            "digest": bytes(trajectory.path.tip.segment.digest).hex(),
            "corrections": [correction.pk for correction in trajectory.corrections],
            "rows": rows,
            "excluded": dict(sorted(excluded.items())),
        }

    def _tell(self, **values: Any) -> None:
        """Extend the lease now and then; raises Fenced when another worker took over."""
        if values or time.monotonic() - self._beat > BEAT_SECONDS:
            self._beat = time.monotonic()
            self.claim.progress(rows=self.rows, **values)
