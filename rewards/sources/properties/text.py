"""Views of a text that the checks count in: words, sentences, lines, items. All linear time."""

from __future__ import annotations

import unicodedata

JOINERS = frozenset("'’-‐")
STOPS = frozenset("!?。！？…")
CLOSERS = frozenset("\"'”’)]）」』》*_")
ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "st", "prof", "vs", "etc", "e.g", "i.e", "cf"})
BULLETS = ("- ", "* ", "+ ", "• ", "· ", "– ")
NUMBER_ENDS = (". ", ") ", "、", "） ", "．", ")", "）")


def is_ideograph(character: str) -> bool:
    """Whether the character is a word by itself: Han, kana and their extensions."""
    code = ord(character)
    return (
        0x3005 <= code <= 0x3007
        or 0x3040 <= code <= 0x30FF
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def words(text: str) -> list[str]:
    """The words: every ideograph is one; else runs of letters, digits and marks.

    An apostrophe or hyphen between letters, and a point or comma between digits, do not end a word.
    """
    found: list[str] = []
    start = -1
    for i, character in enumerate(text):
        alone = is_ideograph(character)
        if not alone and (
            unicodedata.category(character)[0] in "LNM"
            or (start >= 0 and _joins(text, i, character))
        ):
            start = i if start < 0 else start
            continue
        if start >= 0:
            found.append(text[start:i])
            start = -1
        if alone:
            found.append(character)
    if start >= 0:
        found.append(text[start:])
    return found


def _joins(text: str, i: int, character: str) -> bool:
    before, after = text[i - 1], text[i + 1 : i + 2]
    if character in JOINERS:
        return before.isalnum() and after.isalnum() and not is_ideograph(after)
    return character in ".," and before.isdigit() and after.isdigit()


def lines(text: str) -> list[str]:
    """The lines that are not blank, without white space at their ends."""
    return [line for line in (each.strip() for each in text.splitlines()) if line]


def sentences(text: str) -> list[str]:
    """Runs with a word in them that end at a stop, at a line's end or at the text's end.

    A full stop ends one only before white space, a closing quote or the end, and never after a
    usual abbreviation, a single capital or a list number.
    """
    found: list[str] = []
    for line in lines(text):
        start = 0
        for i, character in enumerate(line):
            if character in STOPS or (character == "." and _stops(line, start, i)):
                _keep(found, line[start : i + 1])
                start = i + 1
        _keep(found, line[start:])
    return found


def _keep(found: list[str], piece: str) -> None:
    if any(character.isalnum() for character in piece):
        found.append(piece.strip())


def _stops(line: str, start: int, i: int) -> bool:
    after = line[i + 1 : i + 2]
    if after and not after.isspace() and after not in CLOSERS:
        return False
    word = line[max(start, i - 12) : i].rpartition(" ")[2].lstrip("(\"'")
    is_initial = len(word) == 1 and word.isupper() and word != "I" and bool(after)
    # The bound keeps a line of nothing but list numbers linear.
    is_number = word.isdigit() and i - start <= 12 and line[start:i].strip() == word and bool(after)
    return not (word.lower() in ABBREVIATIONS or is_initial or is_number)


def item_of(line: str) -> str | None:
    """What follows the bullet or number of a list line; None where it is no list line."""
    for bullet in BULLETS:
        if line.startswith(bullet):
            return line[len(bullet) :].strip()
    digits = len(line[:4]) - len(line[:4].lstrip("0123456789"))
    for end in NUMBER_ENDS if digits else ():
        if line.startswith(end, digits):
            return line[digits + len(end) :].strip()
    return None


def items(text: str) -> list[str]:
    """The items of a list: the marked lines, or every line where none is marked."""
    every = lines(text)
    marked = [item for item in map(item_of, every) if item]
    return marked or every
