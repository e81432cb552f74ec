"""DeepSeek: each call between tokens of its own, with fullwidth bars in their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .base import Marker, pair

CALL = ("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>")


class DeepSeek:
    def markers(self, tokens: Mapping[str, int], template: str) -> Iterator[Marker]:
        yield from pair("call", *CALL, tokens, "")


FAMILY = DeepSeek()
