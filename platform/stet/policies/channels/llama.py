"""Llama 3: a call is the whole answer, behind the tag of code or as an object with a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .base import Marker

TAG = "<|python_tag|>"
OBJECT = '{"name": "'


class Llama:
    def markers(self, tokens: Mapping[str, int], template: str) -> Iterator[Marker]:
        if TAG in tokens:
            yield Marker("call", tokens[TAG])
        if OBJECT in template and '"parameters": ' in template:
            yield Marker("call", OBJECT, first=True)


FAMILY = Llama()
