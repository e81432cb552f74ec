"""Checks on the form and value of a whole answer: JSON, dates, numbers, script, case of letters."""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

from rewards.sources.properties.check import Outcome, check
from rewards.verdict import excerpt

LONGEST_NUMBER = 40
NUMBER = re.compile(r"(?<![0-9A-Za-z.])[-−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?", re.ASCII)
WIDE = str.maketrans("０１２３４５６７８９．，－", "0123456789.,-")
MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
DATE_FORMS: dict[str, Callable[[datetime.date], str]] = {
    "YYYY-MM-DD": lambda day: f"{day.year:04}-{day.month:02}-{day.day:02}",
    "DD/MM/YYYY": lambda day: f"{day.day:02}/{day.month:02}/{day.year:04}",
    "MM/DD/YYYY": lambda day: f"{day.month:02}/{day.day:02}/{day.year:04}",
    "D Month YYYY": lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}",
    "Month D, YYYY": lambda day: f"{MONTHS[day.month - 1]} {day.day}, {day.year}",
    "YYYY年M月D日": lambda day: f"{day.year}年{day.month}月{day.day}日",
}
DateForm = Literal[
    "YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY", "D Month YYYY", "Month D, YYYY", "YYYY年M月D日"
]


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key occurs twice")
    return members


def parsed(text: str) -> tuple[Any, str | None]:
    """The JSON value that ``text`` is, and None; or None and why it is not one.

    NaN, Infinity, keys that occur twice and nesting too deep for the parser are refused.
    """
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_once), None
    except RecursionError:
        return None, "nested too deep"
    except ValueError as fault:
        return None, excerpt(str(fault))


@check
def json_valid(text: str) -> Outcome:
    """The whole answer is one JSON value, with no words or code fence around it."""
    _, fault = parsed(text)
    return fault is None, {"fault": fault}


@check
def json_keys(text: str, *, keys: list[str]) -> Outcome:
    """The whole answer is one JSON object with exactly ``keys``, in any order."""
    value, fault = parsed(text)
    if not isinstance(value, dict):
        return False, {"fault": fault or "not an object"}
    missing = [key for key in keys if key not in value]
    extra = [excerpt(key) for key in value if key not in keys]
    return not missing and not extra, {"missing": missing, "extra": extra[:10]}


@check
def date_equals(text: str, *, date: str, form: DateForm) -> Outcome:
    """The whole answer is ``date`` (given as YYYY-MM-DD) in ``form``, a final stop aside.

    Silent where ``date`` is no date.
    """
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        return None
    expected = DATE_FORMS[form](day)
    answer = text.strip().removesuffix(".").removesuffix("。")
    return answer == expected, {"expected": expected, "found": excerpt(answer)}


@check
def number_equals(text: str, *, value: float, pick: Literal["last", "only"] = "last") -> Outcome:
    """The last number of the answer is ``value``; with ``only`` it is also the sole one.

    Western digits, also full width; 1,000 is one number; digits inside a word are none.
    """
    found = NUMBER.findall(text.translate(WIDE))
    if not found or (pick == "only" and len(found) > 1):
        return False, {"found": [each[:LONGEST_NUMBER] for each in found[:10]]}
    last = found[-1].replace(",", "").replace("−", "-")
    holds = len(last) <= LONGEST_NUMBER and Decimal(last) == Decimal(str(value))
    return holds, {"found": found[-1][:LONGEST_NUMBER]}


@check
def language(text: str, *, lang: Literal["zh", "en"], share: float = 0.9) -> Outcome:
    """At least ``share`` of the letters are Han (zh) or Latin (en): a matter of script only.

    Silent where the answer has no letters.
    """
    letters = [character for character in text if unicodedata.category(character)[0] == "L"]
    if not letters:
        return None
    script = "CJK" if lang == "zh" else "LATIN"
    inside = sum(unicodedata.name(letter, "").startswith(script) for letter in letters)
    return inside >= share * len(letters), {"share": round(inside / len(letters), 3)}


@check
def letter_case(text: str, *, case: Literal["lower", "upper"]) -> Outcome:
    """No letter is of the other case. Silent where no letter has a case."""
    lower, upper = sum(map(str.islower, text)), sum(map(str.isupper, text))
    if not lower and not upper:
        return None
    wrong = upper if case == "lower" else lower
    return not wrong, {"wrong": wrong}
