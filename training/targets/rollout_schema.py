"""The record `stet.rollout/1`: its columns, and the promises that every row keeps."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from stet.traces.models import Origin
from training.targets.base import FLOATS, IDS, LINEAGE, MASK, MESSAGES, Row, check

SCHEMA = "stet.rollout/1"
WEIGHTS = FLOATS

POLICY = pa.struct(
    [
        ("name", pa.string()),
        ("version", pa.int32()),
        ("base_model", pa.string()),
        ("base_sha256", pa.string()),
        ("adapter_name", pa.string()),
        ("adapter_sha256", pa.string()),
    ]
)
SAMPLING = pa.struct(
    [
        ("temperature", pa.float64()),
        ("top_p", pa.float64()),
        ("top_k", pa.int32()),
        ("min_p", pa.float64()),
        ("repetition_penalty", pa.float64()),
        ("frequency_penalty", pa.float64()),
        ("presence_penalty", pa.float64()),
        ("seed", pa.int64()),
        ("max_tokens", pa.int32()),
        ("stop", pa.list_(pa.string())),
        ("stop_token_ids", IDS),
        ("logit_bias", pa.string()),
        ("n", pa.int32()),
    ]
)
ENGINE = pa.struct([(name, pa.string()) for name in ("name", "version", "dtype", "quantization")])
VERSION_SPANS = pa.list_(
    pa.struct([("version", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
)
STEP_SPANS = pa.list_(
    pa.struct([("start", pa.int32()), ("end", pa.int32()), ("label", pa.string())])
)
PER_TOKEN = (
    "completion_logprobs",
    "origin",
    "loss_mask",
    "rl_weights",
    "ce_weights",
    "temperatures",
    "seen_before_pick",
)


def schema(sources: Sequence[str]) -> pa.Schema:
    """The columns, with one reward for each of ``sources``."""
    return pa.schema(
        [
            ("schema", pa.string()),
            *LINEAGE[:1],
            ("group_id", pa.string()),
            ("turn_index", pa.int32()),
            ("parent_sample_id", pa.string()),
            *[column for column in LINEAGE[1:] if column[0] != "policy"],
            ("accepted", pa.bool_()),
            ("prompt_token_ids", IDS),
            ("completion_token_ids", IDS),
            ("completion_logprobs", FLOATS),
            ("origin", MASK),
            ("loss_mask", MASK),
            ("rl_weights", WEIGHTS),
            ("ce_weights", WEIGHTS),
            ("advantages", WEIGHTS),
            ("temperatures", WEIGHTS),
            ("seen_before_pick", MASK),
            ("ratio_exact", pa.bool_()),
            ("ratio_inexact", pa.list_(pa.string())),
            ("policy", POLICY),
            ("weight_versions", VERSION_SPANS),
            ("sampling", SAMPLING),
            ("logprobs_mode", pa.string()),
            ("finish_reason", pa.string()),
            ("stop_reason", pa.string()),
            ("engine", ENGINE),
            ("tokenizer_sha256", pa.string()),
            ("chat_template_sha256", pa.string()),
            ("eos_token_ids", IDS),
            ("pad_token_id", pa.int32()),
            ("messages", MESSAGES),
            ("tools", pa.string()),
            ("rewards", pa.struct([(name, pa.float32()) for name in sources])),
            ("reward", pa.float32()),
            ("step_spans", STEP_SPANS),
            ("answers", pa.string()),
            ("annotator_ids_hash", pa.string()),
            ("annotated_at", pa.string()),
            ("sampled_at", pa.string()),
            ("export_snapshot", pa.string()),
        ]
    )


def validate(row: Row) -> None:
    """Raise Broken if a row breaks a promise of the record."""
    ids = row["completion_token_ids"]
    check(bool(ids) and bool(row["prompt_token_ids"]), "empty")
    for name in PER_TOKEN:
        check(len(row[name]) == len(ids), "lengths_differ", name)
    check(Origin.FOREIGN not in row["origin"], "foreign")
    scored = (Origin.MODEL, Origin.CANDIDATE)
    per_token = zip(*(row[name] for name in PER_TOKEN), strict=True)
    for logprob, origin, mask, rl, ce, temperature, seen in per_token:
        # A pick that the sampler had cut has no finite number: it was -inf, which JSON cannot say.
        cut = origin == Origin.CANDIDATE
        check((logprob is not None) == (origin in scored) or (logprob is None and cut), "logprob")
        check(not (mask and rl) or origin == Origin.MODEL, "ratio_on_other_origin")
        check(not (mask and rl and seen), "ratio_on_seen")
        check(not (mask and origin in (Origin.PROMPT, Origin.TOOL)), "loss_on_prompt")
        check(not (rl and ce), "two_losses")
        check((temperature is not None) == (origin == Origin.MODEL), "temperature")
    why = row["ratio_inexact"]
    check(row["ratio_exact"] == (not why), "ratio_without_reason")
    check(any(row["seen_before_pick"]) == ("seen_before_pick" in why), "ratio_on_seen")
    if row["origin"][-1] == Origin.MODEL:
        ended = ids[-1] in row["eos_token_ids"]
        check(ended == (row["finish_reason"] == "stop"), "end_differs")
    for span in row["weight_versions"]:
        own = set(row["origin"][span["start"] : span["end"]])
        check(own == {Origin.MODEL}, "version_span")
    sampled = sum(span["end"] - span["start"] for span in row["weight_versions"])
    check(sampled == row["origin"].count(Origin.MODEL), "version_span")
