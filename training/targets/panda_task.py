"""The export target `panda`: one panda file a task, from the branches of its episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson
import pyarrow as pa
from django.utils.translation import gettext as _

from stet.traces.formats.base import BadRow
from stet.traces.formats.panda import parse_panda
from training.targets.base import Excluded, Options, Row, Target, check, finished, unusable
from training.targets.panda import (
    NotExportable,
    PandaExport,
    PandaVersion,
    dialogs_to_panda,
    panda_to_export,
)
from training.targets.panda_versions import milliseconds, versions_of
from training.trajectory import Trajectory


class Panda(Target):
    """One document a task: every branch of its submitted episodes, the accepted ones good."""

    name = "panda"
    choices = {"finished": ("only", "any")}

    def schema(self) -> pa.Schema:
        return pa.schema(
            [
                ("sample_id", pa.string()),
                ("external_id", pa.string()),
                ("episodes", pa.list_(pa.int64())),
                ("document", pa.string()),
            ]
        )

    def line(self, row: Row) -> bytes:
        document: str = row["document"]
        return document.encode()

    def rows(self, group: Sequence[Trajectory], options: Options) -> Iterator[Row | Excluded]:
        used = []
        for trajectory in group:
            foreign = trajectory.policy is None
            reason = None if foreign else unusable(trajectory) or _unfit(trajectory, options)
            if reason is None:
                used.append(trajectory)
            else:
                yield Excluded(trajectory.sample_id, reason)
        if used:
            yield self._row(used)

    def _row(self, group: list[Trajectory]) -> Row | Excluded:
        task = group[0].task
        try:
            document = dialogs_to_panda(panda_export(group))
        except NotExportable:
            return Excluded(group[0].sample_id, "not_exportable")
        except BadRow:
            return Excluded(group[0].sample_id, "bad_panda")
        return {
            "sample_id": group[0].sample_id,
            "external_id": task.external_id,
            "episodes": [trajectory.episode.pk for trajectory in group],
            "document": orjson.dumps(document).decode(),
        }

    def validate(self, row: Row) -> None:
        check(bool(orjson.loads(row["document"])["dialogs"]), "no_dialog")


def _unfit(trajectory: Trajectory, options: Options) -> str | None:
    if trajectory.path.pieces[0].length < trajectory.path.root.length:
        return "prompt_changed"
    if trajectory.turns(trajectory.path)[-1].end < trajectory.path.length:
        return "no_answer"
    return None if finished(trajectory) or options["finished"] == "any" else "unfinished"


def panda_export(group: Sequence[Trajectory]) -> PandaExport:
    """What a panda file is written from: the versions of all submitted episodes of a task.

    A task that was imported from a panda file brings its dialogs as they came.
    """
    task = group[0].task
    raw = task.metadata.get("panda")
    base = panda_to_export(parse_panda(raw)) if raw else _base(group)
    made: dict[str, PandaVersion] = {}
    for trajectory in group:
        if trajectory.policy is None:
            continue
        for version in versions_of(trajectory, len(base.prompt)):
            known = made.get(version.key)
            if known is None:
                made[version.key] = version
            elif version.is_good:
                made[version.key] = replace(known, is_good=True)
    if raw and not made:
        return base
    return replace(base, versions=[*base.versions, *made.values()], stet=_told(group))


def _base(group: Sequence[Trajectory]) -> PandaExport:
    """The task's prompt; of another imported trace, its last answer is the one version."""
    task = group[0].task
    messages = [dict(message) for message in task.messages]
    foreign = [one for one in group if one.policy is None]
    if foreign and messages[-1].get("role") != "assistant":
        raise NotExportable(_("The trace does not end in an answer."))
    versions = [
        PandaVersion(
            key=f"e{one.episode.pk}",
            messages=messages[-1:],
            operation="auto",
            is_good=True,
            on_policy=False,
            time_ms=milliseconds(one.episode.created_at),
        )
        for one in foreign
    ]
    return PandaExport(
        uuid=task.external_id,
        prompt=messages[:-1] if foreign else messages,
        versions=versions,
        tools=task.tools,
        update_time=max(milliseconds(one.submission.created_at) for one in group),
    )


def _told(group: Sequence[Trajectory]) -> dict[str, Any]:
    own = [one for one in group if one.policy is not None]
    policies = {str(one.policy): one.policy for one in own}
    return {
        "task": group[0].task.pk,
        "policies": {
            name: {
                "tokenizer_sha256": policy.tokenizer_sha256,
                "chat_template_sha256": policy.chat_template_sha256,
            }
            for name, policy in sorted(policies.items())
            if policy is not None
        },
        "episodes": [
            {
                "episode": one.episode.pk,
                "submission": one.submission.n,
                "annotator": one.annotator,
                "policy": str(one.policy),
                "prompt_ids": list(one.path.pieces[0].ids),
                "good": str(one.path.tip.segment.pk),
            }
            for one in own
        ],
    }


TARGET = Panda()
