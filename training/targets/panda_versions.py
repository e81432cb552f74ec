"""The branches of an episode in the neutral words that panda files are written from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from stet.common.http import finite
from stet.policies.sampling import Sampling
from stet.traces.models import Correction, Origin
from stet.traces.paths import Path
from training.messages import messages_of
from training.targets.panda import (
    Chosen,
    PandaVersion,
    Rejected,
)
from training.targets.panda_lines import Line, lines_of
from training.trajectory import Trajectory


def versions_of(trajectory: Trajectory, skip: int) -> Iterator[PandaVersion]:
    for line in lines_of(trajectory, lambda path: _answers(trajectory, path)):
        parent = str(line.parent) if line.parent else None
        version = _version(trajectory, line, parent, line.path is trajectory.path)
        yield replace(version, messages=version.messages[skip:])


def _answers(trajectory: Trajectory, path: Path) -> bool:
    """Whether a path leaves the prompt whole and ends in an answer."""
    turns = trajectory.turns(path)
    whole = path.pieces[0].length == path.root.length
    return whole and bool(turns) and turns[-1].end == path.length


def _version(
    trajectory: Trajectory, line: Line, parent: str | None, accepted: bool
) -> PandaVersion:
    path, correction = line.path, line.correction
    tip = path.tip
    cut = tip.length < tip.segment.length
    generation = trajectory.generations.get(tip.segment.pk)
    version = PandaVersion(
        key=f"{line.tip}@{tip.length}" if cut else str(line.tip),
        messages=messages_of(trajectory, path),
        operation=_operation(line, cut),
        parent_key=parent,
        is_good=True if accepted else None,
        finish_reason=_finish(trajectory, path, cut),
        on_policy=not cut,
        time_ms=milliseconds(tip.segment.created_at),
        chat_config=_config(trajectory, generation.sampling if generation else None),
        stet=_beside(trajectory, line),
    )
    if correction is None or cut:
        return version
    picked = correction.how != Correction.How.TYPE
    return replace(
        version,
        chosen=_chosen(trajectory, correction) if picked else None,
        typed=None if picked else _typed(trajectory, correction),
        rejected=_rejected(trajectory, correction),
    )


def _operation(line: Line, cut: bool) -> str:
    if cut:
        return "edit_selection"
    if line.correction is not None:
        typed = line.correction.how == Correction.How.TYPE
        return "continue_with_input" if typed else "continue_with_chosen"
    if line.first.origin in (Origin.PROMPT, Origin.TOOL) and line.first.parent_id is not None:
        return "start_new_round"
    parent = line.first.parent
    return "generate_new" if parent is None or parent.parent_id is None else "continue_generating"


def _finish(trajectory: Trajectory, path: Path, cut: bool) -> str | None:
    if path.ids[-1] in trajectory.eos:
        return "stop"
    generation = None if cut else trajectory.generations.get(path.tip.segment.pk)
    return "length" if generation is not None and generation.finish_reason == "length" else None


def _chosen(trajectory: Trajectory, correction: Correction) -> Chosen:
    if correction.how == Correction.How.END_HERE:
        return Chosen(None)
    text = _text(trajectory, correction.accepted)
    return Chosen(text, _logprob(trajectory, correction.new_segment_id, 0), list(text.encode()))


def _typed(trajectory: Trajectory, correction: Correction) -> str:
    return correction.typed_text or _text(trajectory, correction.accepted)


def _rejected(trajectory: Trajectory, correction: Correction) -> Rejected:
    before = trajectory.path_to(correction.segment_id)
    turns = trajectory.turns(before)
    start = next((t.start for t in turns if t.start <= correction.position < t.end), 0)
    kept = _text(trajectory, before.ids[start : correction.position])
    return Rejected(
        token=_text(trajectory, correction.rejected),
        index=correction.position - start,
        unicode_start_index=len(kept),
        logprob=_logprob(trajectory, correction.segment_id, correction.index),
    )


def _logprob(trajectory: Trajectory, segment: Any, index: int) -> float | None:
    value = trajectory.path_to(segment).pieces[-1].logprobs[index]
    return finite(value)


def _text(trajectory: Trajectory, ids: Any) -> str:
    return trajectory.texts.text_of(ids) if trajectory.texts else ""


def _config(trajectory: Trajectory, sampling: dict[str, Any] | None) -> dict[str, Any] | None:
    if sampling is None or trajectory.policy is None:
        return None
    known = {k: v for k, v in sampling.items() if v is not None}
    neutral = Sampling().as_dict()
    told = {k: v for k, v in known.items() if k in ("temperature", "max_tokens") or v != neutral[k]}
    return {"model": trajectory.policy.served_name, **told}


def _beside(trajectory: Trajectory, line: Line) -> dict[str, Any]:
    """What the format cannot hold: the ids after the prompt, and where each run came from."""
    path = line.path
    begin = path.root.length
    told: dict[str, Any] = {
        "segment": str(line.tip),
        "length": path.tip.length,
        "digest": bytes(path.tip.segment.digest).hex(),
        "token_ids": list(path.ids[begin:]),
        "origins": [
            [piece.start - begin, piece.end - begin, int(piece.segment.origin)]
            for piece in path.pieces[1:]
        ],
    }
    if line.correction is not None:
        told["correction"] = {
            "id": line.correction.pk,
            "how": line.correction.how,
            "rank": line.correction.rank,
            "canonical": line.correction.canonical,
            "reason": trajectory.reasons.get(line.correction.pk),
        }
    return told


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
