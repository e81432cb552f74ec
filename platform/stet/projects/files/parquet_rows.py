"""Parquet: read in a child process with little memory, so that a crafted file harms nobody."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.utils.translation import gettext as _

from stet.common.errors import Invalid, StetError
from stet.projects.files import parquet_child
from stet.projects.files.csv_rows import check_columns, with_prompt
from stet.projects.files.json_lines import Numbered, json_rows

MAX_BYTES = 4 * 2**30
MAX_RATIO, FREE_BYTES = 200, 64 * 2**20


class BadParquet(Invalid):
    code = "bad_parquet"


class Counted:
    """A pipe that ends with an error rather than run for ever."""

    def __init__(self, pipe: IO[bytes], size: int) -> None:
        self.pipe, self.total = pipe, 0
        self.limit = min(MAX_BYTES, max(FREE_BYTES, MAX_RATIO * size))

    def readline(self, size: int = -1, /) -> bytes:
        line = self.pipe.readline(size)
        self.total += len(line)
        if self.total > self.limit:
            raise BadParquet(
                _(
                    "The Parquet file unpacks to more than %(ratio)d times its size, or to more "
                    "than %(size)d GB. What came before was kept; split the file."
                )
                % {"ratio": MAX_RATIO, "size": MAX_BYTES // 2**30},
                code="parquet_bomb",
            )
        return line


def parquet_rows(path: Path) -> Iterator[Numbered]:
    """Rows with their numbers, the first being 1."""
    command = [sys.executable, "-I", parquet_child.__file__, str(path)]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603
            command, stdout=subprocess.PIPE, stderr=errors, env={}
        ) as child,
    ):
        assert child.stdout is not None
        try:
            for number, value, size in json_rows(Counted(child.stdout, path.stat().st_size)):
                if number == 1:
                    check_columns(value)
                else:
                    row = value if isinstance(value, StetError) else _row(value)
                    yield Numbered(number - 1, row, size)
            child.stdout.close()
            if child.wait(10):
                errors.seek(0)
                raise _failure(errors.read(4000).decode(errors="replace"))
        finally:
            child.kill()


def _row(value: dict[str, Any]) -> Any | StetError:
    row = {name: cell for name, cell in value.items() if cell is not None}
    metadata = {
        name.removeprefix("metadata."): row.pop(name)
        for name in list(row)
        if name.startswith("metadata.")
    }
    if metadata:
        row["metadata"] = metadata
    prompt, system = row.pop("prompt", None), row.pop("system", None)
    try:
        return with_prompt(row, prompt, system)
    except StetError as error:
        return error


def _failure(printed: str) -> StetError:
    said = printed.strip().splitlines()[-1:] or [""]
    why = said[0].removeprefix(parquet_child.SAYS)
    reasons = {
        "columns": _("it has more than %(count)d columns") % {"count": parquet_child.MAX_COLUMNS},
        "group": _("a row group is larger than %(size)d MB; write smaller ones")
        % {"size": parquet_child.MAX_GROUP // 2**20},
        "memory": _("it needs more memory than is allowed; write smaller row groups"),
    }
    if why == said[0]:
        why = _("reading it took more memory or time than is allowed, or it is damaged")
    return BadParquet(
        _("The Parquet file cannot be read: %(why)s.") % {"why": reasons.get(why, why).rstrip(".")}
    )
