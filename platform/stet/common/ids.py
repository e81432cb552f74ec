"""Identifiers that sort by time, so that indexes stay compact (RFC 9562, version 7)."""

import os
import time
import uuid


def new_id() -> uuid.UUID:
    """A version 7 UUID: 48 bits of milliseconds, then random bits."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62)
