"""Rollouts: everything that a policy-gradient trainer must know of what was sampled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import pyarrow as pa

from rewards.registry import answer_sources
from stet.common.http import finite
from stet.traces.models import Origin
from stet.traces.paths import Path
from training.messages import as_columns, messages_of
from training.targets import rollout_schema
from training.targets.base import (
    Excluded,
    Options,
    Row,
    Target,
    lineage,
    policy_name,
    unusable,
)
from training.targets.rollout_parts import (
    engine_of,
    finish_of,
    fresh_tokens,
    generations_of,
    ratio_reasons,
    rewards_of,
    sampling_of,
    step_spans,
    temperatures_of,
    weight_versions,
)
from training.trajectory import TRAINED, Trajectory


class Rollouts(Target):
    """One row a path: the accepted one and, if asked for, every branch that was left.

    A token of the tree carries loss in one row only, the first that has it. Sampled tokens have
    an ``rl_weight``, picked and typed ones a ``ce_weight``; what was chosen after reading has
    neither a place in a ratio loss nor an exact ratio; ``ratio_inexact`` says why there is none.
    ``answers`` holds, as JSON, what the annotator said to the project's questions.
    """

    name = "rollouts"
    version = "3"
    choices = {"branches": ("none", "all"), "group": ("any", "two")}

    def schema(self) -> pa.Schema:
        return rollout_schema.schema(list(answer_sources()))

    def rows(self, group: Sequence[Trajectory], options: Options) -> Iterator[Row | Excluded]:
        made: list[Row] = []
        covered: dict[Any, int] = {}
        for trajectory in group:
            reason = unusable(trajectory)
            if reason is None and Origin.FOREIGN in trajectory.path.origins:
                reason = "foreign"
            if reason is not None:
                yield Excluded(trajectory.sample_id, reason)
                continue
            made.append(_row(trajectory, trajectory.path, trajectory.sample_id, covered))
            for branch in trajectory.branches if options["branches"] == "all" else ():
                name = f"{trajectory.sample_id}/{branch.key}"
                if trajectory.turns(branch.path):
                    made.append(_row(trajectory, branch.path, name, covered))
                else:
                    yield Excluded(name, "no_answer")
        groups = [row["group_id"] for row in made]
        for row in made:
            alone = groups.count(row["group_id"]) < 2 and options["group"] == "two"
            yield Excluded(row["sample_id"], "group_of_one") if alone else row

    def validate(self, row: Row) -> None:
        rollout_schema.validate(row)


def _row(trajectory: Trajectory, path: Path, name: str, covered: dict[Any, int]) -> Row:
    policy, turns = trajectory.policy, trajectory.turns(path)
    assert policy is not None
    begin = turns[0].start
    origins = path.origins[begin:]
    made = dict(generations_of(trajectory, path))
    last = next(reversed(made.values()), None)
    seen = [int(p.segment.seen_before_pick) for p in path.pieces for _ in range(p.length)][begin:]
    reasons = ratio_reasons(seen, made.values())
    fresh = fresh_tokens(path, covered)[begin:]
    rewards, reward = rewards_of(trajectory, path, begin)
    finish, stop = finish_of(trajectory, path)
    accepted = name == trajectory.sample_id
    answers = orjson.dumps(trajectory.submission.answers).decode()
    return {
        "schema": rollout_schema.SCHEMA,
        "sample_id": name,
        "group_id": f"t{trajectory.task.pk}.{trajectory.episode.round}/{policy_name(policy)}",
        "turn_index": len(turns) - 1,
        "parent_sample_id": None if accepted else trajectory.sample_id,
        **{k: v for k, v in lineage(trajectory).items() if k not in ("sample_id", "policy")},
        "accepted": accepted,
        "prompt_token_ids": list(path.ids[:begin]),
        "completion_token_ids": list(path.ids[begin:]),
        "completion_logprobs": [finite(value) for value in path.logprobs[begin:]],
        "origin": origins,
        "loss_mask": [
            int(new and origin in TRAINED) for new, origin in zip(fresh, origins, strict=True)
        ],
        "rl_weights": [
            float(origin == Origin.MODEL and not picked)
            for origin, picked in zip(origins, seen, strict=True)
        ],
        "ce_weights": [float(o in (Origin.CANDIDATE, Origin.HUMAN)) for o in origins],
        "advantages": None,
        "temperatures": temperatures_of(path, made)[begin:],
        "seen_before_pick": seen,
        "ratio_exact": not reasons,
        "ratio_inexact": reasons,
        "policy": {
            "name": policy.name,
            "version": policy.version,
            "base_model": policy.base_model,
            "base_sha256": policy.base_sha256 or None,
            "adapter_name": policy.adapter_name or None,
            "adapter_sha256": policy.adapter_sha256 or None,
        },
        "weight_versions": weight_versions(trajectory, path, begin),
        "sampling": sampling_of(last.sampling if last else trajectory.episode.sampling),
        "logprobs_mode": last.logprobs_mode if last else policy.logprobs_mode,
        "finish_reason": finish,
        "stop_reason": stop,
        "engine": engine_of(last.engine if last else policy.engine),
        "tokenizer_sha256": policy.tokenizer_sha256,
        "chat_template_sha256": policy.chat_template_sha256,
        "eos_token_ids": list(policy.eos_token_ids),
        "pad_token_id": trajectory.pad_token_id,
        "messages": as_columns(messages_of(trajectory, path)),
        "tools": orjson.dumps(trajectory.task.tools).decode() if trajectory.task.tools else None,
        "rewards": rewards,
        "reward": reward,
        "step_spans": step_spans(trajectory, path, begin),
        "answers": answers if accepted else None,
        "annotator_ids_hash": trajectory.annotator,
        "annotated_at": trajectory.submission.created_at.isoformat(),
        "sampled_at": last.created_at.isoformat() if last else None,
        "export_snapshot": trajectory.snapshot,
    }


TARGET = Rollouts()
