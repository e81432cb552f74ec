"""Checks that count: words, characters, sentences, lines, items."""

from __future__ import annotations

from typing import Literal

from rewards.sources.properties.check import Outcome, check
from rewards.sources.properties.text import items, lines, sentences, words

COMMAS = str.maketrans("，、;；", ",,,,")


@check
def max_words(text: str, *, n: int) -> Outcome:
    """At most ``n`` words; a Chinese or Japanese character is a word."""
    found = len(words(text))
    return found <= n, {"found": found}


@check
def min_words(text: str, *, n: int) -> Outcome:
    """At least ``n`` words; a Chinese or Japanese character is a word."""
    found = len(words(text))
    return found >= n, {"found": found}


@check
def max_characters(text: str, *, n: int) -> Outcome:
    """At most ``n`` characters (code points), white space at the ends not counted."""
    found = len(text.strip())
    return found <= n, {"found": found}


@check
def sentence_count(text: str, *, n: int) -> Outcome:
    """Exactly ``n`` sentences; a line's end also ends a sentence."""
    found = len(sentences(text))
    return found == n, {"found": found}


@check
def line_count(text: str, *, n: int) -> Outcome:
    """Exactly ``n`` lines that are not blank."""
    found = len(lines(text))
    return found == n, {"found": found}


@check
def item_count(text: str, *, n: int, style: Literal["lines", "commas"] = "lines") -> Outcome:
    """Exactly ``n`` items: lines with a bullet or number (all lines where none has one), or parts
    between commas (``,`` ``，`` ``、`` or semicolons)."""
    if style == "lines":
        found = len(items(text))
    else:
        found = sum(bool(part.strip()) for part in text.translate(COMMAS).split(","))
    return found == n, {"found": found}
