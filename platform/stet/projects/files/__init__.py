"""Files of task rows: one module a format, each an iterator of numbered rows.

``number`` is what a person finds in an editor: the line for JSON Lines and CSV, the row for
Parquet. A bad row comes as a StetError in its place; a file that cannot be read on raises one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.projects.files.csv_rows import csv_rows
from stet.projects.files.gunzip import gunzip
from stet.projects.files.json_lines import Numbered, json_rows
from stet.projects.files.parquet_rows import parquet_rows

FORMATS = ("jsonl", "jsonl.gz", "csv", "parquet")
ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonl.gz": "jsonl.gz",
    ".ndjson.gz": "jsonl.gz",
    ".csv": "csv",
    ".parquet": "parquet",
}


def format_of(name: str) -> str:
    """The format that a file name ends in, or Invalid."""
    for ending, found in ENDINGS.items():
        if name.lower().endswith(ending):
            return found
    raise Invalid(
        _(
            "The name “%(name)s” does not say the format: name it .jsonl, .jsonl.gz, .csv or "
            ".parquet, or send the field format."
        )
        % {"name": name[:80]},
        code="unknown_format",
    )


class RowFile:
    """The numbered rows of a file that is read as the format ``kind``.

    ``position`` is how many bytes of it are behind the reader; nothing is known of Parquet's.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind = path, kind
        self.size = path.stat().st_size
        self.position = 0

    def __iter__(self) -> Iterator[Numbered]:
        if self.kind == "parquet":
            yield from parquet_rows(self.path)
            return
        with self.path.open("rb") as file:
            if self.kind == "csv":
                rows = csv_rows(file)
            else:
                rows = json_rows(gunzip(file) if self.kind == "jsonl.gz" else file)
            for row in rows:
                self.position = file.tell()
                yield row
