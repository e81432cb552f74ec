"""Mistral: one token before all calls, and a pair around a thought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .base import Marker, pair

CALLS = "[TOOL_CALLS]"


class Mistral:
    def markers(self, tokens: Mapping[str, int], template: str) -> Iterator[Marker]:
        yield from pair("reasoning", "[THINK]", "[/THINK]", tokens, "")
        if CALLS in tokens:
            yield Marker("call", tokens[CALLS])


FAMILY = Mistral()
