"""NUL, emoji, lone surrogates, nothing at all and huge answers: always an outcome, never slow."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewards.registry import judge
from rewards.sources.properties import kinds
from rewards.sources.properties.check import bind

ROWS: list[dict[str, Any]] = [
    {"kind": "max_words", "n": 5},
    {"kind": "min_words", "n": 5},
    {"kind": "max_characters", "n": 5},
    {"kind": "sentence_count", "n": 2},
    {"kind": "line_count", "n": 2},
    {"kind": "item_count", "n": 2},
    {"kind": "item_count", "n": 2, "style": "commas"},
    {"kind": "contains", "words": ["a" * 100 + "b"]},
    {"kind": "contains_any", "words": ["aa", "1"]},
    {"kind": "not_contains", "words": ["aa"]},
    {"kind": "starts_with", "prefix": "a"},
    {"kind": "ends_with", "suffix": "a"},
    {"kind": "ends_with_line_prefix", "prefix": "a"},
    {"kind": "last_line_is", "line": "a"},
    {"kind": "lines_start_with", "prefix": "a"},
    {"kind": "one_of", "options": ["a"]},
    {"kind": "json_valid"},
    {"kind": "json_keys", "keys": ["a"]},
    {"kind": "number_equals", "value": 1},
    {"kind": "date_equals", "date": "2024-03-05", "form": "YYYY-MM-DD"},
    {"kind": "language", "lang": "zh"},
    {"kind": "letter_case", "case": "lower"},
]
TASK = {"reference": "a", "checks": ROWS}
PATTERNS = [
    "a",
    "a ",
    "1. ",
    "1,111",
    "-1",
    ".",
    "[",
    '{"a":',
    "中",
    "中-",
    "\n",
    "- \n",
    "'",
    "\0",
]
PATTERNS += ["e\u0301", "\u0301", "😀", "\ud800", "a.b", "9", "ab" * 50 + "c", "I. ", "\"'("]


def test_the_rows_name_every_kind() -> None:
    assert {row["kind"] for row in ROWS} == set(kinds)


@settings(deadline=None)
@given(st.text() | st.text(alphabet=st.characters(codec=None)))
def test_any_text_is_judged_and_the_evidence_is_plain_json(text: str) -> None:
    for verdict in judge(TASK, text):
        stored = json.dumps(dict(verdict.evidence), allow_nan=False, ensure_ascii=False)
        assert "\\u0000" not in stored
        stored.encode()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_grows_no_faster_than_the_text(pattern: str) -> None:
    def seconds(size: int) -> float:
        text = pattern * (size // len(pattern))
        start = time.process_time()
        for row in ROWS:
            bind(row)(text)
        return time.process_time() - start

    seconds(1000)
    small = min(seconds(20_000) for _ in range(2))
    # Eight times the text: linear is 8, quadratic is 64; the rest is room for a busy machine.
    assert seconds(160_000) < 24 * small + 0.05


def test_a_huge_looping_answer_is_judged_within_seconds() -> None:
    start = time.process_time()
    verdicts = judge(TASK, "again and again " * 20_000, [1, 2, 3] * 20_000)
    assert time.process_time() - start < 5
    assert {verdict.source for verdict in verdicts} >= {"length", "properties", "repetition"}
