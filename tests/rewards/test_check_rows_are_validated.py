"""A row of ``checks`` that is not understood is named, and never counted as a failure."""

from __future__ import annotations

from typing import Any

import pytest

from rewards.registry import judge
from rewards.sources.properties import check_errors

BAD: list[tuple[Any, str]] = [
    (None, "an object with a kind"),
    ({"n": 3}, "an object with a kind"),
    ({"kind": "no_such_kind"}, "no kind of check called"),
    ({"kind": "max_words"}, "needs n"),
    ({"kind": "max_words", "n": "3"}, "n is not what"),
    ({"kind": "max_words", "n": True}, "n is not what"),
    ({"kind": "max_words", "n": -1}, "n is not what"),
    ({"kind": "max_words", "n": 3, "m": 4}, "no parameter 'm'"),
    ({"kind": "max_words", "n": 3, "text": "x"}, "no parameter 'text'"),
    ({"kind": "contains", "words": []}, "words is not what"),
    ({"kind": "contains", "words": ["a", 1]}, "words is not what"),
    ({"kind": "contains", "words": [""]}, "words is not what"),
    ({"kind": "contains", "words": ["a" * 201]}, "words is not what"),
    ({"kind": "language", "lang": "fr"}, "lang is not what"),
    ({"kind": "language", "lang": ["zh"]}, "lang is not what"),
    ({"kind": "number_equals", "value": float("nan")}, "value is not what"),
]


@pytest.mark.parametrize(("row", "message"), BAD)
def test_a_bad_row_is_named_and_judges_nothing(row: Any, message: str) -> None:
    assert message in check_errors([{"kind": "json_valid"}, row])[0]
    assert check_errors([{"kind": "json_valid"}, row])[0].startswith("check 2:")
    verdicts = judge({"checks": [row]}, "text")
    assert not [verdict for verdict in verdicts if verdict.source == "properties"]


def test_good_rows_have_no_faults() -> None:
    assert check_errors([]) == []
    assert check_errors([{"kind": "item_count", "n": 3, "style": "commas"}]) == []


def test_checks_that_are_no_list_are_named_and_judge_nothing() -> None:
    assert check_errors({"kind": "json_valid"}) == ["checks is a list"]
    verdicts = judge({"checks": "max_words"}, "text")
    assert not [verdict for verdict in verdicts if verdict.source == "properties"]
