"""What marks a channel, the register of the families, and the regions of a stream of tokens."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol

Kind = Literal["reasoning", "call"]
Sign = int | str
"""A token by its id; a text only where the template writes it and no token stands for it."""


@dataclass(frozen=True, slots=True)
class Marker:
    """From ``opens`` to the first of ``closes``, both included; an end token closes all.

    ``first``: it opens only as the first thing of an answer.
    """

    kind: Kind
    opens: Sign
    closes: tuple[Sign, ...] = ()
    first: bool = False


class Family(Protocol):
    """One manner of writing channels; a module of this package offers it as FAMILY."""

    def markers(self, tokens: Mapping[str, int], template: str) -> Iterator[Marker]:
        """What marks channels, by the names of the added tokens and the template's source."""
        ...


@cache
def families() -> Sequence[Family]:
    """Every family of this package."""
    package = __name__.rpartition(".")[0]
    names = sorted(m.name for m in pkgutil.iter_modules(importlib.import_module(package).__path__))
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return [module.FAMILY for module in modules if hasattr(module, "FAMILY")]


def channels_of(tokens: Mapping[str, int], template: str) -> tuple[Marker, ...]:
    """The markers of a model: each sign once, the first family that knows it counts."""
    found: dict[Sign, Marker] = {}
    for family in families():
        for marker in family.markers(tokens, template):
            found.setdefault(marker.opens, marker)
    return tuple(found.values())


def pair(
    kind: Kind, opens: str, closes: str, tokens: Mapping[str, int], template: str
) -> Iterator[Marker]:
    """A pair of tags: their tokens where there are any, else their text if the template has it."""
    if opens in tokens:
        yield Marker(kind, tokens[opens], (tokens.get(closes, closes),))
    elif opens in template and closes in template:
        yield Marker(kind, opens, (closes,))


@dataclass(frozen=True, slots=True)
class Region:
    """Tokens [start, end) of one channel."""

    kind: Kind
    start: int
    end: int


class Channels:
    """Tells the channel of each token of a stream, as it arrives."""

    def __init__(self, markers: Iterable[Marker], ends: Iterable[int]) -> None:
        self.of: list[int] = []
        """For each token the number of its region, 0 for none."""
        self.found: list[Kind] = []
        """The kind of region 1, 2, …"""
        self._markers, self._ends = tuple(markers), frozenset(ends)
        signs = [s for m in self._markers for s in (m.opens, *m.closes) if isinstance(s, str)]
        self._longest = max(map(len, signs), default=0)
        self._turn()

    def _turn(self) -> None:
        self._open: Marker | None = None
        self._text, self._owners = "", list[int]()
        self._lead: str | None = ""
        self._begun = 0

    def feed(self, token: int, text: str, who: str = "assistant") -> None:
        """The next token with its text, of an assistant, of the template ("") or somebody else.

        Of the template's tokens only ids open a channel, so that a generation prompt may; what
        somebody else said, and an end token, close all.
        """
        at = len(self.of)
        own = who == "assistant"
        self.of.append(0)
        if token in self._ends or not (own or who == ""):
            self._turn()
            return
        opens = next((m for m in self._markers if m.opens == token), None)
        if opens is not None and opens is not self._open:
            self._begin(opens, at if own else at + 1)
            self._text, self._owners = "", []
            return
        if self._open is not None and own:
            self.of[at] = len(self.found)
        if self._open is not None and token in self._open.closes:
            self._open, self._text, self._owners = None, "", []
        elif own:
            self._read(at, text)

    def regions(self) -> list[Region]:
        """The regions in order."""
        runs: dict[int, Region] = {}
        for at, number in enumerate(self.of):
            if number:
                start = runs[number].start if number in runs else at
                runs[number] = Region(self.found[number - 1], start, at + 1)
        return [runs[number] for number in sorted(runs)]

    def _begin(self, marker: Marker, at: int) -> None:
        self._open = marker
        self.found.append(marker.kind)
        for i in range(at, len(self.of)):
            self.of[i] = len(self.found)

    def _read(self, at: int, text: str) -> None:
        """Look for signs that are texts; what one began in earlier tokens is told anew."""
        self._first(at, text)
        self._text += text
        self._owners += [at] * len(text)
        used = 0
        while sign := self._sign(used):
            start, used, marker = sign
            if self._open is None:
                self._begin(marker, self._owners[start])
            else:
                self._open = None
        keep = max(used, len(self._text) - self._longest)
        self._text, self._owners = self._text[keep:], self._owners[keep:]

    def _sign(self, used: int) -> tuple[int, int, Marker] | None:
        opened = self._open
        pairs = (
            [(m.opens, m) for m in self._markers if not m.first]
            if opened is None
            else [(sign, opened) for sign in opened.closes]
        )
        places = [
            (self._text.find(sign, used), len(sign), marker)
            for sign, marker in pairs
            if isinstance(sign, str)
        ]
        found = [place for place in places if place[0] >= 0]
        if not found:
            return None
        start, size, marker = min(found, key=lambda place: place[0])
        return start, start + size, marker

    def _first(self, at: int, text: str) -> None:
        """A sign that counts only where the answer begins with it."""
        if self._lead is None:
            return
        if not self._lead:
            self._begun = at
        lead = self._lead = (self._lead + text).lstrip()
        signs = [(m.opens, m) for m in self._markers if m.first and isinstance(m.opens, str)]
        for sign, marker in signs:
            if self._open is None and lead.startswith(sign):
                self._begin(marker, self._begun)
        if not any(len(lead) < len(sign) and sign.startswith(lead) for sign, _ in signs):
            self._lead = None
