"""What a random annotator means to do next."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.faultproxy import FAULTS

TEXTS = (
    *("然后", "灯塔。", "雨下了整夜，", "😀", "👩‍👩‍👧 ", "🏳️‍🌈", "🇫🇷", "👍🏿", "e\u0301", "\u200d"),
    *(" then", "<|im_end|>", "two\nlines", "שלום abc", "مرحبا", "𠮷", "é", "   ", "<b>x</b>"),
)
REPLIES = ("And then?", "继续。", "👩‍👩‍👧?")
OFTEN = ("pick", "type", "fault", "undo", "answer")
SELDOM = (
    *("redo", "branch", "click", "go_on", "give_up", "end_here", "hold", "reason", "reply"),
    *("filter", "reload", "second_tab", "reopen_tab", "offline", "line_down", "sockets"),
    *("later", "submit", "skip", "flag", "comment"),
)


@dataclass(frozen=True)
class Step:
    """What is meant to be done; every step takes as many draws, so a seed gives the same ones."""

    what: str
    share: float
    digit: str
    text: str
    faults: tuple[str, ...]
    n: int
    wait: int

    @classmethod
    def draw(cls, luck: random.Random) -> Step:
        what = luck.choice(OFTEN if luck.random() < 0.45 else SELDOM)
        return cls(
            what,
            luck.random(),
            luck.choice("1234567890"),
            luck.choice(TEXTS),
            tuple(luck.choices(FAULTS, k=luck.randint(1, 3))),
            luck.randint(1, 3),
            luck.choice((0, 30, 150, 500, 1200)),
        )
