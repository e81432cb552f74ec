"""What a rollout's row is put together from: how its tokens were sampled, ended and judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rewards.registry import answer_sources, judge
from rewards.verdict import TASK, Kind, Verdict, all_hold
from stet.common.http import finite
from stet.policies.sampling import Sampling
from stet.traces.models import Generation, Origin, Span
from stet.traces.paths import Path
from training.messages import plain_text
from training.targets import rollout_schema
from training.targets.base import Row, policy_name
from training.trajectory import Trajectory

_FIELDS = frozenset(Sampling().as_dict())


def generations_of(trajectory: Trajectory, path: Path) -> Iterator[tuple[Any, Generation]]:
    for piece, generation in trajectory.sampled(path):
        if generation is not None:
            yield piece.segment.pk, generation


def fresh_tokens(path: Path, covered: dict[Any, int]) -> list[bool]:
    """For each token of the path, whether no earlier row had it; marks them as had."""
    fresh: list[bool] = []
    for piece in path.pieces:
        had = covered.get(piece.segment.pk, 0)
        fresh += [index >= had for index in range(piece.length)]
        covered[piece.segment.pk] = max(had, piece.length)
    return fresh


def temperatures_of(path: Path, made: dict[Any, Generation]) -> list[float | None]:
    found: list[float | None] = []
    for piece in path.pieces:
        generation = made.get(piece.segment.pk)
        known = float(generation.sampling.get("temperature", 1.0)) if generation else None
        found += [known] * piece.length
    return found


def inexact(generation: Generation) -> Iterator[str]:
    """Why the stored numbers are not those of the policy at the sampling temperature, uncut."""
    known = Sampling(**{k: v for k, v in generation.sampling.items() if k in _FIELDS})
    if not known.exact_ratio:
        yield "sampling"
    if generation.logprobs_mode != "processed_logprobs" and known.temperature != 1.0:
        yield "logprobs_mode"


def ratio_reasons(seen: Iterable[int], generations: Iterable[Generation]) -> list[str]:
    """Why a ratio of probabilities over these tokens would be wrong; nothing where it is right."""
    reasons = {reason for generation in generations for reason in inexact(generation)}
    if any(seen):
        reasons.add("seen_before_pick")
    return sorted(reasons)


def sampling_of(stored: dict[str, Any]) -> Row:
    known = {**Sampling().as_dict(), **{k: v for k, v in stored.items() if k in _FIELDS}}
    # These never reach the server.
    unused: Row = {"stop": [], "stop_token_ids": [], "logit_bias": None, "n": 1}
    return {field.name: {**known, **unused}[field.name] for field in rollout_schema.SAMPLING}


def engine_of(stored: dict[str, Any]) -> Row:
    names = [field.name for field in rollout_schema.ENGINE]
    return {name: None if stored.get(name) is None else str(stored[name]) for name in names}


def weight_versions(trajectory: Trajectory, path: Path, begin: int) -> list[Row]:
    spans: list[Row] = []
    for piece, _generation in trajectory.sampled(path):
        policy = trajectory.policies.get(piece.segment.policy_id or 0)
        version = policy_name(policy) if policy else ""
        if spans and spans[-1]["version"] == version and spans[-1]["end"] == piece.start - begin:
            spans[-1]["end"] = piece.end - begin
        else:
            start, end = piece.start - begin, piece.end - begin
            spans.append({"version": version, "start": start, "end": end})
    return spans


def finish_of(trajectory: Trajectory, path: Path) -> tuple[str, str | None]:
    """How the path ends: as the server said, by a ``person``, or ``cut`` where the head stands."""
    tip = path.tip
    ended = path.ids[-1] in trajectory.eos
    generation = trajectory.generations.get(tip.segment.pk)
    if tip.segment.origin in (Origin.CANDIDATE, Origin.HUMAN):
        return ("person" if ended else "cut"), None
    if tip.segment.origin != Origin.MODEL:
        return "turn", None
    if ended:
        return "stop", None
    if generation is None or tip.length < tip.segment.length:
        return "cut", None
    said = generation.finish_reason or generation.status
    stop = generation.stop_reason
    return ("abort" if said == "stop" else said), None if stop is None else str(stop)


def step_spans(trajectory: Trajectory, path: Path, begin: int) -> list[Row]:
    """The stored steps and calls on the path, as offsets in the completion."""
    ends = {piece.segment.pk: piece.end for piece in path.pieces}
    found = [
        {"start": span.start - begin, "end": span.end - begin, "label": span.role or span.level}
        for segment, end in ends.items()
        for span in trajectory.spans.get(segment, ())
        if span.level in (Span.Level.STEP, Span.Level.CALL)
        and begin <= span.start < span.end <= end
    ]
    return sorted(found, key=lambda span: (span["start"], span["end"]))


def rewards_of(trajectory: Trajectory, path: Path, begin: int) -> tuple[Row, float | None]:
    """What every source says of the last answer; null where it says nothing."""
    task = trajectory.task
    rewards: Row = dict.fromkeys(answer_sources())
    if not task.checks and task.reference is None:
        return rewards, None
    last = trajectory.turns(path)[-1]
    text = plain_text(trajectory, path, last.start, last.end)
    row = {name: getattr(task, name) for name in TASK}
    verdicts = judge(row, text, list(path.ids[last.start : last.end]))
    for name in rewards:
        rewards[name] = _value([verdict for verdict in verdicts if verdict.source == name])
    holds = all_hold(verdicts)
    return rewards, None if holds is None else float(holds)


def _value(verdicts: list[Verdict]) -> float | None:
    """A source's verdicts as one number: all of its checks hold, else the mean of its scalars."""
    holds = all_hold(verdicts)
    if holds is not None:
        return float(holds)
    scalars = [float(v.value) for v in verdicts if v.kind is Kind.SCALAR]
    return finite(sum(scalars) / len(scalars)) if scalars else None
