"""Kimi: each call between tokens of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .base import Marker, pair


class Kimi:
    def markers(self, tokens: Mapping[str, int], template: str) -> Iterator[Marker]:
        yield from pair("call", "<|tool_call_begin|>", "<|tool_call_end|>", tokens, "")


FAMILY = Kimi()
