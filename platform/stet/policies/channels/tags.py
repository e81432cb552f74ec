"""Tags around a thought and around a call, as Qwen, Hermes, GLM and many others write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .base import Marker, pair


class Tags:
    def markers(self, tokens: Mapping[str, int], template: str) -> Iterator[Marker]:
        yield from pair("reasoning", "<think>", "</think>", tokens, template)
        yield from pair("call", "<tool_call>", "</tool_call>", tokens, template)


FAMILY = Tags()
