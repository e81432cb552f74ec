"""Strings of a conversation, markers that stand for them, and the parts of a rendered text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stet.policies.tokenizer import Piece

Where = tuple[int | str, ...]
"""The path of a string in the conversation: message index (-1 for the tools), then keys."""

CLOSE = "\ue001"
_SAID = ("content", "reasoning", "reasoning_content")


@dataclass(frozen=True, slots=True)
class Slot:
    """A string of the conversation as head + text + tail; a marker stands for the text."""

    where: Where
    head: str
    text: str
    tail: str
    escaped: bool = False

    @property
    def shown(self) -> str:
        return json.dumps(self.text, ensure_ascii=False)[1:-1] if self.escaped else self.text


@dataclass(frozen=True, slots=True)
class Part:
    piece: Piece
    owner: int | None = None


def leaves(node: object, where: Where = ()) -> Iterator[tuple[Where, str]]:
    """Every string of the conversation that somebody wrote."""
    if isinstance(node, str):
        if where[-1] not in ("role", "type") or len(where) > 4:
            yield where, node
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from leaves(value, (*where, key))
    elif isinstance(node, list | tuple):
        for key, value in enumerate(node):
            yield from leaves(value, (*where, key))


def keys(node: object) -> Iterator[str]:
    for value in node.values() if isinstance(node, Mapping) else ():
        yield from keys(value)
    if isinstance(node, Mapping):
        yield from map(str, node)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from keys(value)


def replaced(node: Any, where: Where, marks: Mapping[Where, str]) -> Any:
    if isinstance(node, str):
        return marks.get(where, node)
    if isinstance(node, Mapping):
        return {key: replaced(value, (*where, key), marks) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [replaced(value, (*where, key), marks) for key, value in enumerate(node)]
    return node


def is_said(where: Where) -> bool:
    return where[0] != -1 and where[1] in _SAID


def ways(where: Where, text: str) -> list[Slot]:
    """How a marker may stand for a text.

    Whole, without its edges, and both again behind a thought where there is one; then as JSON.
    """
    whole = behind = Slot(where, "", text, "")
    thought, end, answer = text.rpartition("</think>")
    if end:
        left = answer.lstrip()
        behind = Slot(where, thought + end + answer[: len(answer) - len(left)], left, "")
    return [whole, _trimmed(whole), behind, _trimmed(behind), replace(whole, escaped=True)]


def _trimmed(slot: Slot) -> Slot:
    left = slot.text.lstrip()
    core = left.rstrip()
    head = slot.text[: len(slot.text) - len(left)]
    return replace(slot, head=slot.head + head, text=core, tail=left[len(core) :])


def fence_for(nodes: Iterable[object]) -> str:
    """The opening of a marker: private-use characters that no string of the conversation holds."""
    texts = [text for node in nodes for _, text in leaves(node, ("",))]
    fence = "\ue000"
    while any(fence in text for text in texts):
        fence += "\ue000"
    return fence


def changed(
    mine: Sequence[Part], other: Sequence[Part], names: Mapping[int, str]
) -> tuple[int, int]:
    """The characters [start, end) of one text that another lacks; a special token is not torn."""
    one, two = _flat(mine), _flat(other)
    start = _shared(one, two)
    end = len(one) - _shared(one[start:][::-1], two[start:][::-1])
    at = low = high = 0
    for part in mine:
        size = 1 if isinstance(part.piece, int) else len(part.piece)
        width = len(names[part.piece]) if isinstance(part.piece, int) else size
        low += width if at + size <= start else max(start - at, 0)
        high += width if at + size <= end else max(end - at, 0)
        at += size
    return low, high


def _flat(parts: Sequence[Part]) -> str:
    """The parts as one string in which a special token is one character."""
    return "".join(chr(0xF0000 + p.piece) if isinstance(p.piece, int) else p.piece for p in parts)


def _shared(one: str, other: str) -> int:
    """The length of the beginning that two strings share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def owned(
    parts: Sequence[Part], start: int, end: int, owner: int, names: Mapping[int, str]
) -> Iterator[Part]:
    """The parts with the characters [start, end) owned by a message; a part is cut if need be."""
    at = 0
    for part in parts:
        piece = part.piece
        size = len(names[piece] if isinstance(piece, int) else piece)
        low, high = (min(max(edge - at, 0), size) for edge in (start, end))
        at += size
        if low >= high or part.owner is not None:
            yield part
        elif isinstance(piece, int):
            yield Part(piece, owner)
        else:
            cuts = ((piece[:low], None), (piece[low:high], owner), (piece[high:], None))
            yield from (Part(text, who) for text, who in cuts if text)
