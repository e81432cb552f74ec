"""A file of traces of any known format as numbered items."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.projects.files.gunzip import gunzip
from stet.projects.files.json_lines import BadLine, Numbered
from stet.traces.formats.base import Format, LineError, detect_format, formats

HEAD = 64 * 1024
GZIP = b"\x1f\x8b"


class TraceFile:
    """``format`` names a format, ``auto`` looks for one; gzip is unpacked whatever the name says.

    A row's number is that of a line or, in a JSON array or document, of the item.
    """

    def __init__(self, path: Path, format: str, *, files: Path | None = None) -> None:
        self.path, self.format, self.files = path, format, files
        self.size = path.stat().st_size
        self.position = 0

    def __iter__(self) -> Iterator[Numbered]:
        with self.path.open("rb", buffering=HEAD) as file:
            packed = file.read(2) == GZIP
            file.seek(0)
            for row in trace_rows(gunzip(file) if packed else file, self.format, self.files):
                self.position = file.tell()
                yield row


def trace_rows(
    source: BinaryIO, format: str = "auto", files: Path | None = None
) -> Iterator[Numbered]:
    """Items, and a StetError in the place of each that cannot be read; numbers grow."""
    if format == "auto":
        source = _buffered(source)
        known = detect_format(source.peek(HEAD)[:HEAD])
        if known is None:
            raise Invalid(
                _("None of the known formats of traces: %(names)s.") % {"names": _names()},
                code="unknown_format",
            )
    else:
        known = format_named(format)
    number = 0
    for item in known.read(source, files=files):
        if isinstance(item, LineError):
            number = max(number + 1, item.number)
            yield Numbered(number, BadLine(item.reason), 0)
        else:
            number += 1
            yield Numbered(number, item, SIZE)


# The readers do not say how long an item was; this keeps batches short.
SIZE = 2**20


def format_named(name: str) -> Format:
    """The format of that name, or Invalid."""
    known = formats().get(name)
    if known is None:
        raise Invalid(
            _("Known formats of traces are %(names)s.") % {"names": _names()},
            code="unknown_format",
        )
    return known


def _names() -> str:
    return ", ".join(sorted(formats()))


def _buffered(source: BinaryIO) -> io.BufferedReader:
    """The source with room to look ahead."""
    raw = cast("io.RawIOBase", source)
    return source if isinstance(source, io.BufferedReader) else io.BufferedReader(raw, HEAD)
