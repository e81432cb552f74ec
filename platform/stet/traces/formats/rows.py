"""Cuts JSON Lines, a JSON array or one JSON document into rows, within bounds of memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from . import head
from .base import BadRow, LineError
from .strict_json import parse

MAX_ROW = 20 * 1024 * 1024
MAX_DOCUMENT = 64 * 1024 * 1024
_BLANK = b" \t\r\n"


def rows(stream: BinaryIO, *, limit: int = MAX_ROW) -> Iterator[tuple[int, Any] | LineError]:
    """Numbered values in order; what cannot be parsed is a LineError and the rest goes on."""
    for number, data in _cut(stream, limit):
        if data is None:
            yield LineError(number, _too_big(limit))
            continue
        try:
            yield number, parse(data.rstrip(_BLANK))
        except BadRow as error:
            yield LineError(number, error.reason)


def _cut(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    lines = _lines(stream, limit)
    number, first = next(lines, (0, b""))
    if number == 0:
        return
    if first is not None:
        first = first.removeprefix(b"\xef\xbb\xbf")
        if _opens_document(first):
            rest = stream.read(MAX_DOCUMENT + 1)
            yield from _document(first + rest, limit)
            return
        second = next(lines, None)
        if second is None and first[:1] == b"[":
            yield from _document(first, limit)
            return
        yield number, first
        if second is not None:
            yield second
    else:
        yield number, None
    yield from lines


def _lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Lines that are not blank, with their numbers; None stands for one beyond the limit."""
    number = 0
    while line := stream.readline(limit + 2):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(limit)
            yield number, None
        elif line.strip(_BLANK):
            # A document reads on in the stream, so its first line keeps its end.
            yield number, line.lstrip(_BLANK)


def _opens_document(line: bytes) -> bool:
    """Whether JSON is laid out over several lines, rather than one row cut off."""
    if head.balanced(line):
        return False
    return line[:1] == b"[" or (line[:1] == b"{" and line.rstrip(_BLANK)[-1:] in b"{[,:")


def _document(data: bytes, limit: int) -> Iterator[tuple[int, bytes | None]]:
    if len(data) > MAX_DOCUMENT:
        yield 1, None
        return
    opening, keys = head.shape(data[: head.HEAD_BYTES])
    one_conversation = opening == "[{" and "role" in keys and "messages" not in keys
    if data[:1] != b"[" or one_conversation:
        yield 1, data
        return
    for number, item in enumerate(head.array_items(data), 1):
        yield number, item if len(item) <= limit else None


def _too_big(limit: int) -> str:
    return _("larger than %(size)d MB") % {"size": limit // (1024 * 1024)}
