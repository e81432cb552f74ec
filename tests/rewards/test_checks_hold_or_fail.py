"""Each kind of check on worked answers: one that has the property and one that has not."""

from __future__ import annotations

from typing import Any

import pytest

from rewards.sources.properties import kinds
from rewards.sources.properties.check import bind

CASES: list[tuple[dict[str, Any], str, bool | None]] = [
    ({"kind": "max_words", "n": 3}, "one two three", True),
    ({"kind": "max_words", "n": 3}, "one two three four", False),
    ({"kind": "max_words", "n": 3}, "北京市", True),
    ({"kind": "max_words", "n": 3}, "是北京市", False),
    ({"kind": "min_words", "n": 2}, "two words", True),
    ({"kind": "min_words", "n": 2}, "one", False),
    ({"kind": "max_characters", "n": 2}, " ab\n", True),
    ({"kind": "max_characters", "n": 2}, "abc", False),
    ({"kind": "sentence_count", "n": 2}, "A cat. A dog.", True),
    ({"kind": "sentence_count", "n": 2}, "A cat and a dog.", False),
    ({"kind": "line_count", "n": 2}, "a\n\nb", True),
    ({"kind": "line_count", "n": 2}, "a", False),
    ({"kind": "item_count", "n": 2}, "Two:\n- a\n- b", True),
    ({"kind": "item_count", "n": 2}, "- a\n- b\n- c", False),
    ({"kind": "item_count", "n": 3, "style": "commas"}, "春、夏、秋", True),
    ({"kind": "item_count", "n": 3, "style": "commas"}, "red, blue,", False),
    ({"kind": "contains", "words": ["Paris"]}, "It is PARIS.", True),
    ({"kind": "contains", "words": ["art"]}, "the start and the party", False),
    ({"kind": "contains", "words": ["北京"]}, "首都是北京市", True),
    ({"kind": "contains", "words": ["a", "b"]}, "a c", False),
    ({"kind": "contains_any", "words": ["a", "b"]}, "a c", True),
    ({"kind": "contains_any", "words": ["a", "b"]}, "c", False),
    ({"kind": "not_contains", "words": ["the"]}, "there they are", True),
    ({"kind": "not_contains", "words": ["the"]}, "In THE end", False),
    ({"kind": "not_contains", "words": ["水"]}, "海水很咸", False),
    ({"kind": "starts_with", "prefix": "No"}, " No, it is not.", True),
    ({"kind": "starts_with", "prefix": "No"}, "Nothing", False),
    ({"kind": "ends_with", "suffix": "end."}, "This is the end.\n", True),
    ({"kind": "ends_with", "suffix": "end"}, "the weekend", False),
    ({"kind": "ends_with_line_prefix", "prefix": "In short:"}, "Long.\nIn short: x", True),
    ({"kind": "ends_with_line_prefix", "prefix": "In short:"}, "Long.\nIn short:", False),
    ({"kind": "ends_with_line_prefix", "prefix": "In short:"}, "Long. In short: x", False),
    ({"kind": "ends_with_line_prefix", "prefix": "总之："}, "雨。\n总之：是水。", True),
    ({"kind": "last_line_is", "line": "Thank you!"}, "Hi.\nThank you!\n", True),
    ({"kind": "last_line_is", "line": "Thank you!"}, "Hi. Thank you!", False),
    ({"kind": "lines_start_with", "prefix": "* "}, "* a\n\n* b", True),
    ({"kind": "lines_start_with", "prefix": "* "}, "List:\n* a", False),
    ({"kind": "one_of", "options": ["Paris"]}, "paris.", True),
    ({"kind": "one_of", "options": ["Paris"]}, "It is Paris", False),
    ({"kind": "json_valid"}, ' {"a": [1, null]}\n', True),
    ({"kind": "json_valid"}, '```json\n{"a": 1}\n```', False),
    ({"kind": "json_valid"}, '{"a": NaN}', False),
    ({"kind": "json_valid"}, '{"a": 1, "a": 2}', False),
    ({"kind": "json_keys", "keys": ["a", "b"]}, '{"b": 1, "a": 2}', True),
    ({"kind": "json_keys", "keys": ["a"]}, '{"a": 1, "b": 2}', False),
    ({"kind": "json_keys", "keys": ["a"]}, '["a"]', False),
    ({"kind": "number_equals", "value": 7}, "12 - 5 = 7.", True),
    ({"kind": "number_equals", "value": 7}, "7 of 12", False),
    ({"kind": "number_equals", "value": 1000}, "It costs $1,000", True),
    ({"kind": "number_equals", "value": -2.5}, "−2.50", True),
    ({"kind": "number_equals", "value": 13}, "１３", True),
    ({"kind": "number_equals", "value": 2}, "H2O", False),
    ({"kind": "number_equals", "value": 3}, "5-3", True),
    ({"kind": "number_equals", "value": 12, "pick": "only"}, "共12个", True),
    ({"kind": "number_equals", "value": 12, "pick": "only"}, "3 x 4 = 12", False),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "YYYY-MM-DD"}, "2024-03-05", True),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "YYYY-MM-DD"}, "2024-3-5", False),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "D Month YYYY"}, "5 March 2024.", True),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "Month D, YYYY"}, "March 5, 2024", True),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "DD/MM/YYYY"}, "05/03/2024", True),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "MM/DD/YYYY"}, "05/03/2024", False),
    ({"kind": "date_equals", "date": "2024-03-05", "form": "YYYY年M月D日"}, "2024年3月5日", True),
    ({"kind": "date_equals", "date": "2024-02-30", "form": "YYYY-MM-DD"}, "2024-02-30", None),
    ({"kind": "language", "lang": "zh"}, "北京是首都，有2000万人。", True),
    ({"kind": "language", "lang": "zh"}, "北京 is the capital", False),
    ({"kind": "language", "lang": "zh"}, "これはペンです", False),
    ({"kind": "language", "lang": "en"}, "Beijing is big.", True),
    ({"kind": "language", "lang": "en"}, "北京", False),
    ({"kind": "language", "lang": "zh"}, "42!", None),
    ({"kind": "letter_case", "case": "lower"}, "snow falls", True),
    ({"kind": "letter_case", "case": "lower"}, "Snow falls", False),
    ({"kind": "letter_case", "case": "upper"}, "SNOW 1", True),
    ({"kind": "letter_case", "case": "upper"}, "雪", None),
]


@pytest.mark.parametrize(("row", "text", "holds"), CASES)
def test_a_check_says_whether_the_property_holds(
    row: dict[str, Any], text: str, holds: bool | None
) -> None:
    outcome = bind(row)(text)
    assert (None if outcome is None else outcome[0]) is holds


def test_every_kind_has_a_worked_case_of_both_outcomes_and_a_docstring() -> None:
    for name, function in kinds.items():
        outcomes = {holds for row, _, holds in CASES if row["kind"] == name}
        assert {True, False} <= outcomes, name
        assert function.__doc__, name
