"""Events out of bytes, however the network cuts them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stet.policies.samplers import sse
from stet.policies.samplers.base import ModelBroken
from stet.policies.samplers.sse import EventLines

STREAM = 'data: {"text":"né😀"}\n\n: ping\nevent: x\ndata:{"b":2}\r\n\r\ndata: [DONE]\n\n'.encode()
PAYLOADS = ['{"text":"né😀"}'.encode(), b'{"b":2}', b"[DONE]"]


@settings(deadline=None)
@given(st.lists(st.integers(0, len(STREAM))))
def test_the_cuts_change_nothing(cuts: list[int]) -> None:
    lines = EventLines()
    found = []
    for start, end in pairwise(sorted({0, *cuts, len(STREAM)})):
        found += lines.feed(STREAM[start:end])
    assert [payload.strip() for payload in found] == PAYLOADS


def test_an_event_without_its_line_end_is_not_passed_on() -> None:
    assert EventLines().feed(b'data: {"half":') == []


def test_a_line_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "LONGEST_LINE", 1000)
    lines = EventLines()
    for _ in range(10):
        lines.feed(b"x" * 100)
    with pytest.raises(ModelBroken):
        lines.feed(b"x")
