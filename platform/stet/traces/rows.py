"""Wire rows [id, text, log-probability, hex?]: tokens as the page shows them."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

from stet.common.packing import unpack_floats, unpack_ids
from stet.policies.clusters import TextRows
from stet.policies.models import PolicyVersion
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from stet.traces import selectors
from stet.traces.models import Segment
from stet.traces.paths import Path
from stet.traces.streams.live import wire

Rows = list[list[Any]]


def tokenizer_of(root: Segment, policy: PolicyVersion | None = None) -> Tokenizer | None:
    """The policy's; for foreign tokens that of any policy with the tokenizer that they name."""
    named = root.tokenizer_sha256
    policy = policy or PolicyVersion.objects.filter(tokenizer_sha256=named).first()
    return load_tokenizer(Folder(policy.tokenizer_dir)) if policy is not None else None


def path_rows(path: Path, tokenizer: Tokenizer) -> Rows:
    """The rows of a whole path."""
    return _rows(TextRows(tokenizer), path.ids, path.logprobs)


def segment_rows(segment: Segment, start: int, end: int) -> Rows:
    """The rows [start, end) of a segment, as in every path that goes through it."""
    tokenizer = tokenizer_of(segment, segment.policy)
    if tokenizer is None:
        return []
    before: Any = ()
    if segment.parent_id is not None:
        before = selectors.path_to(segment.parent_id, segment.fork_at).ids
    ids = unpack_ids(memoryview(segment.ids)[: 4 * end])
    scores: Any = [None] * end
    if segment.logprobs is not None:
        scores = unpack_floats(memoryview(segment.logprobs)[: 4 * end])
    return _rows(TextRows.after(tokenizer, before), ids, scores)[start:]


def _rows(texts: TextRows, ids: Any, logprobs: Any) -> Rows:
    rows = []
    for row, logprob in zip(texts.feed(ids), logprobs, strict=True):
        text = [row[0], row[1], wire(logprob)]
        rows.append(text if row[2] is None else [*text, row[2]])
    return rows
