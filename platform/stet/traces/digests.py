"""Digests: segments are chained, and what a person saw is named by the ids of the path."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

from stet.common.packing import pack_ids


def segment_digest(
    *,
    parent_digest: bytes | None,
    fork_at: int | None,
    origin: int,
    policy_id: int | None,
    ids: bytes,
    logprobs: bytes | None,
) -> bytes:
    """sha256(parent digest, fork_at, origin, policy id, ids int32 LE, log-probs float32 LE)."""
    head = struct.pack("<iBq", fork_at or 0, origin, policy_id or 0)
    return hashlib.sha256((parent_digest or b"") + head + ids + (logprobs or b"")).digest()


def seen_digest(ids: Sequence[int]) -> str:
    """What was seen: sha256 over the path's ids [0, n) as int32 LE, in hex."""
    return hashlib.sha256(pack_ids(ids)).hexdigest()
