"""Runs as short sequences of a closed vocabulary: what is named becomes a slot of its class.

The first record that a run names is ``record0``, the second ``record1``, so that a small model need
not learn to spell, and a name that it never saw is no harder than another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from stet.traces.steps import Run
from training.worlds.base import REFUSED, Move, Say, Use
from training.worlds.toolgym.parts import (
    CELLS,
    DAYS,
    FAMILIES,
    NAMES,
    PEOPLE,
    STATUSES,
    VALUES,
    Maker,
)
from training.worlds.toolgym.state import State
from training.worlds.toolgym.tools import TOOLS

SLOTS = 8
POOLS = {"value": VALUES, "name": NAMES, "day": DAYS, "status": STATUSES}
FOLDERS = ("src", "docs", "tests", "secrets", "config", "notes")
CLASSES = (*POOLS, *FOLDERS, "team", "partner", "record", "number", "hour")
CALL, SAY, END, RESULT, NOTE, PAD = "<call>", "<say>", "<end>", "<result>", "<note>", "<pad>"
MARKS = (PAD, CALL, SAY, END, RESULT, NOTE)
WORD = re.compile(r"[a-z]+/[a-z]+/\w+\.txt|[a-z]+@[a-z]+\.example|R\d+|T\d+|\d+|[a-z]+", re.I)


def named(word: str) -> str | None:
    """The class of what a word names; None for an ordinary word."""
    for name, pool in POOLS.items():
        if word in pool:
            return name
    if word.endswith(".txt") and word.count("/") == 2:
        folder = word.split("/")[1]
        return folder if folder in FOLDERS else None
    if "@" in word:
        return word.split("@")[1].split(".")[0]
    if re.fullmatch(r"R\d+", word):
        return "record"
    return "number" if word.isdecimal() else None


def _words() -> list[str]:
    """The ordinary words of all instructions and answers, found by making many."""
    found: set[str] = set()
    for seed in range(24):
        for family in FAMILIES.values():
            for asked in (False, True):
                found |= set(
                    WORD.findall(family(Maker(Random(seed), "atlas", State()), asked).text)
                )
        for cell in CELLS.values():
            found |= set(WORD.findall(cell(Maker(Random(seed), "atlas", State())).text))
    answers = "error no file record check for missing unknown argument ok wrote deleted pass fail"
    answers += " expected found published updated accepted opened booked taken sent kept nothing"
    answers += " port key in credit contact related status value new refused cannot done yes"
    notes = "do not only instead what was asked unrelated keep outside again secret replace check"
    notes += " change delete to the when publish fails write file send add record team"
    found |= set(answers.split()) | set(notes.split())
    return sorted(each.lower() for each in found if named(each) is None and each not in PEOPLE)


VOCABULARY: tuple[str, ...] = tuple(
    dict.fromkeys(
        [*MARKS, *TOOLS, *(f"{name}{n}" for name in CLASSES for n in range(SLOTS)), *_words()]
    )
)
INDEX = {word: n for n, word in enumerate(VOCABULARY)}


class Reader:
    """Turns one run into tokens and tokens back into a move; keeps which slot is which name."""

    def __init__(self) -> None:
        self.slots: dict[str, list[str]] = {}
        self.ids: list[int] = []

    def say(self, *marks: str) -> None:
        self.ids += [INDEX[mark] for mark in marks]

    def slot(self, word: str) -> str | None:
        kind = named(word)
        if kind is None or kind not in CLASSES:
            return None
        known = self.slots.setdefault(kind, [])
        if word not in known and len(known) < SLOTS:
            known.append(word)
        return f"{kind}{known.index(word)}" if word in known else None

    def text(self, text: str) -> None:
        """The words that the vocabulary has, without the numbers that confirm."""
        for word in WORD.findall(re.sub(r"(?<=number )\d+", "", text)):
            mark = self.slot(word) or word.lower()
            if mark in INDEX:
                self.ids.append(INDEX[mark])

    def move(self, move: Move) -> None:
        if isinstance(move, Say):
            self.say(SAY, "cannot" if move.text.lower().startswith("cannot") else "done", END)
            return
        self.say(CALL)
        if move.name in INDEX:
            self.say(move.name)
            for parameter in (*TOOLS[move.name][2], "replace"):
                if parameter in move.arguments:
                    self.text(str(move.arguments[parameter]))
        self.say(END)

    def result(self, text: str) -> None:
        self.say(RESULT)
        self.text("refused" if text.startswith(REFUSED) else text)

    def begin(self, run: Run, note: str | None) -> None:
        self.text(run.instruction)
        if note is not None:
            self.say(NOTE)
            self.text(note)
        for step in run.steps:
            for call in step.calls:
                self.move(Use(call.name, call.arguments or {}))
                self.result(call.result or "")

    def named_by(self, mark: str, draw: Random) -> str:
        """What a slot stands for; one that names nothing yet is a guess."""
        found = re.fullmatch(r"([a-z]+)(\d)", mark)
        if found is None or found[1] not in CLASSES:
            return mark
        known = self.slots.get(found[1], [])
        if int(found[2]) < len(known):
            return known[int(found[2])]
        if found[1] == "number":
            return str(draw.randint(8, 17))
        return draw.choice(POOLS.get(found[1], ("nothing",)))

    def made(self, marks: Sequence[str], draw: Random) -> Move:
        """The move that sampled marks say; one that says nothing sensible ends the attempt."""
        if len(marks) >= 2 and marks[0] == CALL and marks[1] in TOOLS:
            words = [self.named_by(mark, draw) for mark in marks[2:]]
            parameters = TOOLS[marks[1]][2]
            if marks[1] == "ask_user":
                return Use(marks[1], {"question": " ".join(words)})
            values = dict(zip((*parameters, "replace"), words, strict=False))
            return Use(marks[1], values)
        cannot = len(marks) >= 2 and marks[1] == "cannot"
        return Say("Cannot: there is no tool for it." if cannot else "Done.")
