"""CSV: a header line, then one row a record."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson
from django.utils.translation import gettext as _

from stet.common.errors import Invalid, StetError
from stet.projects.files.json_lines import OTHER_BOMS, BadLine, Numbered
from stet.projects.task_rows import MAX_ROW

JSON = ("messages", "tools", "checks", "limits")
WHOLE = ("overlap", "priority")
TEXT = ("prompt", "system", "external_id", "reference")
KNOWN = (*TEXT, *JSON, *WHOLE)


def csv_rows(file: BinaryIO) -> Iterator[Numbered]:
    """Rows with the number of the line on which each begins."""
    csv.field_size_limit(MAX_ROW)
    head = file.read(4)
    file.seek(0)
    if head.startswith(OTHER_BOMS):
        raise Invalid(_("The file is UTF-16; save it as CSV UTF-8."), code="bad_encoding")
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    reader = csv.reader(text, strict=True)
    header: list[str] | None = None
    begins = 1
    try:
        for record in reader:
            number, begins = begins, reader.line_num + 1
            if not any(record):
                continue
            if header is None:
                header = _header(record)
                continue
            try:
                yield Numbered(number, csv_row(header, record), sum(map(len, record)))
            except StetError as error:
                yield Numbered(number, error, 0)
    except csv.Error as error:
        raise Invalid(
            _(
                "The CSV cannot be read on from line %(line)d: %(why)s. Is a quotation mark never "
                "closed? What came before was kept."
            )
            % {"line": begins, "why": error},
            code="bad_csv",
        ) from None
    except UnicodeDecodeError:
        raise Invalid(
            _(
                "The file is not UTF-8 near line %(line)d; save it as CSV UTF-8. "
                "What came before was kept."
            )
            % {"line": begins},
            code="bad_encoding",
        ) from None
    finally:
        text.detach()


def csv_row(header: list[str], record: list[str]) -> dict[str, Any]:
    """The row that a record stands for; an empty cell is no value."""
    if len(record) > len(header):
        text = _("%(found)d cells, but the header names %(named)d columns.")
        raise BadLine(text % {"found": len(record), "named": len(header)})
    cells = {name: cell for name, cell in zip(header, record, strict=False) if cell}
    row: dict[str, Any] = {}
    metadata = {}
    for name, cell in cells.items():
        if name.startswith("metadata."):
            metadata[name.removeprefix("metadata.")] = cell
        elif name in JSON:
            row[name] = _json(name, cell)
        elif name in WHOLE:
            row[name] = _whole(name, cell)
        elif name in ("external_id", "reference"):
            row[name] = cell
    if metadata:
        row["metadata"] = metadata
    return with_prompt(row, cells.get("prompt"), cells.get("system"))


def with_prompt(row: dict[str, Any], prompt: Any, system: Any) -> dict[str, Any]:
    """The row with the messages that the columns ``prompt`` and ``system`` stand for."""
    if prompt is not None:
        if "messages" in row:
            raise BadLine(_("Give either “prompt” or “messages”, not both."))
        row["messages"] = [{"role": "user", "content": prompt}]
    if system is not None:
        if not isinstance(row.get("messages"), list):
            raise BadLine(_("“system” needs a “prompt” or “messages” beside it."))
        row["messages"] = [{"role": "system", "content": system}, *row["messages"]]
    return row


def check_columns(names: list[str], known: tuple[str, ...] = KNOWN) -> None:
    """Refuse unknown or doubled columns, and files without a prompt."""
    unknown = [name for name in names if name not in known and not name.startswith("metadata.")]
    if unknown:
        raise Invalid(
            _(
                "Unknown columns: %(names)s. Known are %(known)s and metadata.NAME. "
                "Nothing was imported."
            )
            % {"names": ", ".join(map(repr, unknown[:10])), "known": ", ".join(known)},
            code="unknown_column",
        )
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        text = _("The column %(name)s stands twice. Nothing was imported.")
        raise Invalid(text % {"name": repr(doubled[0])}, code="doubled_column")
    if "prompt" not in names and "messages" not in names:
        raise Invalid(
            _("A column “prompt” or “messages” is needed. Nothing was imported."),
            code="no_prompt_column",
        )


def _header(record: list[str]) -> list[str]:
    names = [name.strip() for name in record]
    check_columns(names)
    return names


def _json(name: str, cell: str) -> Any:
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError as error:
        text = _("The column “%(name)s” does not hold valid JSON: %(why)s.")
        raise BadLine(text % {"name": name, "why": error.msg}, code="bad_json") from None


def _whole(name: str, cell: str) -> int:
    try:
        return int(cell)
    except ValueError:
        text = _("The column “%(name)s” must hold a whole number.")
        raise BadLine(text % {"name": name}) from None
