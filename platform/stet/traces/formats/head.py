"""A look at the first bytes of a file: how its JSON opens, and the keys of its first object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

HEAD_BYTES = 65536
_LINES = 20
# A string that never ends is one token to the end: to try again at each of its quotes is quadratic.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]', re.DOTALL)


class Shape(NamedTuple):
    """``opening`` holds the brackets down to the first object, as in ``[{``."""

    opening: str
    keys: frozenset[str]


def shapes(head: bytes | Mapping[str, Any]) -> Iterator[Shape]:
    """The shape of the whole, then of each of the first lines: one broken line hides nothing."""
    if not isinstance(head, bytes):
        yield Shape("{", frozenset(head))
        return
    head = head[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    yield shape(head)
    for line in head.split(b"\n")[:_LINES]:
        if line.strip():
            yield shape(line)


def shape(head: bytes) -> Shape:
    """The shape of one JSON text, which may be cut anywhere."""
    opening, keys = "", set[str]()
    depth, before = 0, b""
    if head.lstrip()[:1] not in (b"{", b"["):
        return Shape("", frozenset())
    for match in _TOKEN.finditer(head):
        token = match.group()
        if not opening.endswith("{"):
            if token not in (b"{", b"["):
                break
            opening += token.decode()
        elif token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth < 0:
                break
        elif token == b":" and depth == 0:
            keys.add(_text(before))
        before = token
    return Shape(opening, frozenset(keys))


def balanced(line: bytes) -> bool:
    """Whether every bracket outside of strings is closed again."""
    tokens = [match.group() for match in _TOKEN.finditer(line)]
    opened = sum(token in (b"{", b"[") for token in tokens)
    return opened == sum(token in (b"}", b"]") for token in tokens)


def array_items(data: bytes) -> Iterator[bytes]:
    """The texts of the items of a JSON array; a broken end comes as the last item."""
    start = data.index(b"[") + 1
    depth = 0
    for match in _TOKEN.finditer(data, start):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        if (token == b"," and depth == 0) or depth < 0:
            item = data[start : match.start()]
            if item.strip() or token == b",":
                yield item
            start = match.end()
        if depth < 0:
            break
    rest = data[start:]
    if rest.strip():
        yield rest


def _text(token: bytes) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return ""
