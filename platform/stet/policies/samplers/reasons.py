"""A server's own words, made fit to show: one line, printable, short."""

from __future__ import annotations

from typing import Any

import orjson

LONGEST = 200


def clean(text: str, longest: int = LONGEST) -> str:
    """``text`` on one line without control or markup characters, cut to ``longest`` characters."""
    line = " ".join(text.split())
    kept = "".join(c for c in line if c.isprintable() and c not in "<>&\"'`")
    return kept if len(kept) <= longest else kept[: longest - 1] + "…"


def refusal(body: bytes) -> str:
    """The reason in an OpenAI-style error body, cleaned; empty when there is none."""
    try:
        data: Any = orjson.loads(body)
        error = data.get("error", data)
        message = error.get("message") or ""
    except (ValueError, AttributeError):
        return ""
    return clean(message) if isinstance(message, str) else ""
