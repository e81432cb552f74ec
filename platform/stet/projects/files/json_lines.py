"""JSON Lines: one row a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import orjson
from django.utils.translation import gettext as _

from stet.common.errors import Invalid, StetError
from stet.projects.task_rows import MAX_ROW

# Escaped text is longer than what it stands for: ``\\u4fee`` has six bytes for three.
MAX_LINE = 2 * MAX_ROW
MAX_BLANK = 1_000_000
BOM = b"\xef\xbb\xbf"
OTHER_BOMS = (b"\xff\xfe", b"\xfe\xff")


class Numbered(NamedTuple):
    """A row, or why it is none, in its place; ``size`` is about its bytes."""

    number: int
    value: Any
    size: int


class Lines(Protocol):
    def readline(self, size: int = -1, /) -> bytes: ...


class BadLine(Invalid):
    code = "bad_line"


def json_rows(stream: Lines, limit: int = MAX_LINE) -> Iterator[Numbered]:
    """Parsed rows with their line numbers; blank lines count but are no rows."""
    number = blank = 0
    while line := stream.readline(limit + 2):
        number += 1
        if number == 1:
            if line.startswith(OTHER_BOMS):
                raise Invalid(_("The file is UTF-16; save it as UTF-8."), code="bad_encoding")
            line = line.removeprefix(BOM)
        if len(line) > limit and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(limit)
            text = _("The line is longer than %(size)d MB.") % {"size": limit // 2**20}
            yield Numbered(number, BadLine(text, code="too_large"), 0)
        elif line.strip():
            blank = 0
            yield Numbered(number, _parsed(line), len(line))
        else:
            blank += 1
            if blank > MAX_BLANK:
                raise Invalid(
                    _("More than %(max)d blank lines in a row.") % {"max": MAX_BLANK},
                    code="blank_lines",
                )


def _parsed(line: bytes) -> Any | StetError:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return BadLine(_("Not valid JSON: %(why)s.") % {"why": _why(line, error)}, code="bad_json")


def _why(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as wrong:
        return _("not UTF-8 at byte %(at)d") % {"at": wrong.start + 1}
    what = error.msg.split(": line ")[0]
    return _("%(what)s, at character %(at)d") % {"what": what, "at": error.pos + 1}
