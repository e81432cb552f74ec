"""How long the answer is, in words; in Chinese and Japanese every character is a word."""

from __future__ import annotations

from collections.abc import Iterator

from rewards.registry import source
from rewards.sources.properties.text import words
from rewards.verdict import Trace, Verdict, scalar


@source("length", version="1")
def length(trace: Trace) -> Iterator[Verdict]:
    """Scalar, a count of words; the evidence has characters, and tokens where ids are known."""
    evidence = {"characters": len(trace.text)}
    if trace.ids is not None:
        evidence["tokens"] = len(trace.ids)
    yield scalar(len(words(trace.text)), **evidence)
