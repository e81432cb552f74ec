"""Checks on given words and lines: which occur, and where."""

from __future__ import annotations

from rewards.sources.properties.check import Outcome, check
from rewards.sources.properties.text import is_ideograph, lines
from rewards.verdict import excerpt


def _is_letter(character: str) -> bool:
    return character.isalnum() and not is_ideograph(character)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter outside [start, end) belongs to the word at either edge of it."""
    cut_before = start > 0 and _is_letter(text[start]) and _is_letter(text[start - 1])
    cut_after = end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end])
    return not (cut_before or cut_after)


def occurs(text: str, phrase: str) -> bool:
    """Whether ``phrase`` stands in ``text`` as whole words, in any case of letters."""
    text, phrase = text.casefold(), phrase.casefold()
    at = text.find(phrase)
    while at >= 0:
        if _is_whole(text, at, at + len(phrase)):
            return True
        at = text.find(phrase, at + 1)
    return False


@check
def contains(text: str, *, words: list[str]) -> Outcome:
    """Every one of ``words`` occurs as a whole word or phrase, in any case."""
    missing = [word for word in words if not occurs(text, word)]
    return not missing, {"missing": missing}


@check
def contains_any(text: str, *, words: list[str]) -> Outcome:
    """At least one of ``words`` occurs as a whole word or phrase, in any case."""
    found = [word for word in words if occurs(text, word)]
    return bool(found), {"found": found}


@check
def not_contains(text: str, *, words: list[str]) -> Outcome:
    """None of ``words`` occurs as a whole word or phrase, in any case."""
    found = [word for word in words if occurs(text, word)]
    return not found, {"found": found}


@check
def starts_with(text: str, *, prefix: str) -> Outcome:
    """The first word or words are exactly ``prefix``."""
    answer = text.lstrip()
    holds = answer.startswith(prefix) and _is_whole(answer, 0, len(prefix))
    return holds, {"found": excerpt(answer, len(prefix) + 20)}


@check
def ends_with(text: str, *, suffix: str) -> Outcome:
    """The last characters, white space aside, are exactly ``suffix``."""
    answer = text.rstrip()
    holds = answer.endswith(suffix) and _is_whole(answer, len(answer) - len(suffix), len(answer))
    return holds, {"found": excerpt(answer[-len(suffix) - 20 :])}


@check
def ends_with_line_prefix(text: str, *, prefix: str) -> Outcome:
    """The last line begins with exactly ``prefix`` and has something after it."""
    last = (lines(text) or [""])[-1]
    holds = last.startswith(prefix) and bool(last[len(prefix) :].strip())
    return holds, {"found": excerpt(last)}


@check
def last_line_is(text: str, *, line: str) -> Outcome:
    """The last line is exactly ``line``."""
    last = (lines(text) or [""])[-1]
    return last == line, {"found": excerpt(last)}


@check
def lines_start_with(text: str, *, prefix: str) -> Outcome:
    """Every line that is not blank begins with exactly ``prefix``."""
    wrong = [line for line in lines(text) if not line.startswith(prefix)]
    return not wrong, {"wrong": len(wrong), "first": excerpt(wrong[0]) if wrong else None}


@check
def one_of(text: str, *, options: list[str]) -> Outcome:
    """The whole answer is one of ``options``, in any case, with or without a final full stop."""
    answer = text.strip().removesuffix(".").removesuffix("。").casefold()
    return answer in {option.casefold() for option in options}, {"found": excerpt(answer)}
