"""Words, sentences, lines and items are counted alike in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewards.sources.properties.text import item_of, items, lines, sentences, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\0 \n\t", []),
        ("It's a well-known fact.", ["It's", "a", "well-known", "fact"]),
        ("one,two - three", ["one", "two", "three"]),
        ("3.14 and 1,000.", ["3.14", "and", "1,000"]),
        ("中国的首都是北京。", list("中国的首都是北京")),
        ("我有3个iPhone手机", ["我", "有", "3", "个", "iPhone", "手", "机"]),
        ("カタカナ", list("カタカナ")),
        ("한국어 단어", ["한국어", "단어"]),
        ("हिन्दी शब्द", ["हिन्दी", "शब्द"]),
        ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
        ("👩‍👩‍👧 hi 🎉", ["hi"]),
        ("rock-'n'-roll 中-文", ["rock", "n", "roll", "中", "文"]),
        ("\ud800 x", ["x"]),
    ],
)
def test_words_are_runs_of_letters_and_single_ideographs(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 0),
        ("One", 1),
        ("One. Two! Three?", 3),
        ("Dr. Smith pays 3.50 for it.", 1),
        ("J. R. Smith came. I saw it.", 2),
        ("It was I. He left.", 2),
        ("Use e.g. salt. Then wait.", 2),
        ('He said "Stop." She stopped.', 2),
        ("1. Apples are red.\n2. Pears are green.", 2),
        ("你好。今天天气很好！", 2),
        ("下雨了……我们走吧", 2),
        ("no stop at the line's end\nbut two lines", 2),
    ],
)
def test_sentences_end_at_stops_and_lines(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    ("line", "item"),
    [
        ("- a", "a"),
        ("* **a**", "**a**"),
        ("12. a", "a"),
        ("3) a", "a"),
        ("1、苹果", "苹果"),
        ("2024 was a year", None),
        ("-a", None),
        ("a", None),
        ("- ", ""),
    ],
)
def test_items_are_what_follows_a_bullet_or_number(line: str, item: str | None) -> None:
    assert item_of(line) == item


def test_words_around_a_marked_list_are_no_items() -> None:
    assert items("Here they are:\n\n- a\n- b\n\nEnjoy!") == ["a", "b"]


def test_without_marks_every_line_is_an_item() -> None:
    assert items("a\n\nb\n") == ["a", "b"]


@settings(deadline=None)
@given(st.text())
def test_every_word_stands_in_the_text_in_order(text: str) -> None:
    at = 0
    for word in words(text):
        at = text.index(word, at) + len(word)


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_blank_line_between_two_texts_adds_their_counts(a: str, b: str) -> None:
    both = f"{a}\n\n{b}"
    for view in (words, sentences, lines):
        assert len(view(both)) == len(view(a)) + len(view(b))


@settings(deadline=None)
@given(st.text(alphabet="中文字的", min_size=1))
def test_in_chinese_words_are_characters(text: str) -> None:
    assert len(words(text)) == len(text)
