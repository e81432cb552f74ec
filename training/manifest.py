"""What an export says of itself, and the address that its files give it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from rewards.registry import answer_sources
from training.models import Dataset
from training.targets.base import Target
from training.writer import Written, arrow_types

SCHEMA = "stet.export/1"
LINEAGE_FILE = "lineage.jsonl"
MANIFEST_FILE = "manifest.json"


def content_sha256(files: Iterable[Written]) -> str:
    """The address of an export: the hash of the hashes of its files."""
    told = [[file.name, file.size, file.sha256] for file in files]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()


def manifest(
    *,
    dataset: Dataset,
    target: Target,
    options: Mapping[str, str],
    watermark: datetime,
    policies: Mapping[str, Any],
    counts: Mapping[str, int],
    excluded: Counter[str],
    files: list[Written],
) -> dict[str, Any]:
    """The whole manifest; it holds nothing that differs between two exports of one watermark."""
    with override("en"):
        remark = note(counts, excluded)
    return {
        "schema": SCHEMA,
        "sha256": content_sha256(files),
        "target": target.name,
        "target_version": target.version,
        "options": dict(options),
        "dataset": {"id": dataset.pk, "project": dataset.project_id, "query": dataset.query},
        "watermark": watermark.isoformat(),
        "counts": {**counts, "excluded": dict(sorted(excluded.items()))},
        "note": remark,
        "policies": dict(sorted(policies.items())),
        "tokenizers": sorted({one["tokenizer_sha256"] for one in policies.values()}),
        "chat_templates": sorted({one["chat_template_sha256"] for one in policies.values()}),
        "sources": {name: source.version for name, source in answer_sources().items()},
        "columns": arrow_types(target.schema()),
        "lineage": LINEAGE_FILE,
        "files": [file.as_dict() for file in files],
    }


def note(counts: Mapping[str, int], excluded: Mapping[str, int]) -> str:
    """One line for whoever finds the export empty; empty itself when there are rows."""
    if counts["rows"]:
        return ""
    if not counts["submissions"]:
        return _("No rows: no submission matched the query before the watermark.")
    reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(excluded.items()))
    return ngettext(
        "No rows: %(count)d submission matched, but it was left out (%(reasons)s).",
        "No rows: %(count)d submissions matched, all left out (%(reasons)s).",
        counts["submissions"],
    ) % {"count": counts["submissions"], "reasons": reasons}
