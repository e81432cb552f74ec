"""How an upload is read: in batches, resumable after a crash, every bad line reported."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import orjson
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stet.common.errors import Invalid, NotFound, StetError
from stet.common.jobs import Claim
from stet.projects.files.json_lines import Numbered
from stet.projects.models import Project
from stet.projects.services.imports import errors_path, upload_path

BATCH, BATCH_BYTES = 500, 16 * 2**20
MAX_ERRORS = 100_000
HEARTBEAT_SECONDS = 5
START: dict[str, Any] = {
    "line": 0,
    "rows": 0,
    "added": 0,
    "same": 0,
    "superseded": 0,
    "failed": 0,
    "errors_bytes": 0,
}


class Source(Protocol):
    """The numbered rows of a file, its bytes, and how many of them are behind the reader."""

    size: int
    position: int

    def __iter__(self) -> Iterator[Numbered]: ...


class Batch(NamedTuple):
    """What became of a batch: counts to add, and the fault of each bad line."""

    counts: dict[str, int]
    errors: list[tuple[int, StetError]]


Add = Callable[[Project, list[Numbered]], Batch]


def import_run(claim: Claim, read: Callable[[Path], Source], add: Add) -> dict[str, Any]:
    """Pass the upload to ``add`` batch by batch, each in a transaction with the progress.

    After a crash it goes on behind the last committed line. Raises Invalid with what was kept.
    """
    project = Project.objects.filter(pk=claim.job.project_id or 0, archived_at=None).first()
    path, errors = upload_path(claim.job), errors_path(claim.job)
    if project is None or not path.exists():
        raise NotFound(_("The project or the upload is gone. Nothing was imported."))
    errors.touch(mode=0o600)
    with errors.open("r+b") as file:
        progress = Progress(claim, file)
        done = progress.counts["line"]
        source = read(path)
        rows = (row for row in _awake(source, claim) if row.number > done)
        try:
            for batch in _batches(rows):
                with transaction.atomic():
                    counts, faults = add(project, batch)
                    for line, error in sorted(faults, key=itemgetter(0)):
                        progress.fail(line, error)
                    progress.commit(batch[-1].number, len(batch), source, counts)
        except Invalid as error:
            path.unlink(missing_ok=True)
            error.detail = f"{error.detail} {progress.kept()}"
            raise
        path.unlink(missing_ok=True)
        if not progress.counts["rows"]:
            raise Invalid(_("The file holds no rows. Nothing was imported."), code="empty_file")
    return {name: progress.counts[name] for name in START if name != "errors_bytes"}


class Progress:
    """Counts of an import and its file of errors; both begin where the last commit ended."""

    def __init__(self, claim: Claim, errors: BinaryIO) -> None:
        self.claim, self.errors = claim, errors
        self.counts = {**START, **claim.job.progress}
        self.committed = dict(self.counts)
        errors.seek(self.counts["errors_bytes"])
        errors.truncate()

    def fail(self, line: int, error: StetError) -> None:
        """Report one line."""
        self.counts["failed"] += 1
        if self.counts["failed"] > MAX_ERRORS:
            raise Invalid(
                _("More than %(max)d lines are broken; is this the right format?")
                % {"max": MAX_ERRORS},
                code="too_many_errors",
            )
        entry = {"line": line, "code": error.code, "detail": error.detail, "errors": error.errors}
        self.errors.write(orjson.dumps(entry) + b"\n")

    def commit(self, line: int, rows: int, source: Source, counts: dict[str, int]) -> None:
        """Write how far the work is; raises Fenced when another worker took over."""
        for name, value in counts.items():
            self.counts[name] += value
        self.counts["rows"] += rows
        self.errors.flush()
        self.counts.update(
            line=line,
            errors_bytes=self.errors.tell(),
            bytes=source.size,
            bytes_read=source.position,
        )
        self.claim.progress(**self.counts)
        self.committed = dict(self.counts)

    def kept(self) -> str:
        """What of a broken import stays, in words."""
        counts = self.committed
        count = counts["added"] + counts["superseded"] + counts["same"]
        if not count:
            return _("Nothing was imported.")
        return ngettext(
            "%(count)d row up to line %(line)d is kept; importing again adds only the rest.",
            "%(count)d rows up to line %(line)d are kept; importing again adds only the rest.",
            count,
        ) % {"count": count, "line": counts["line"]}


def _batches(rows: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    """The rows in lists; a fault of the file comes after the rows that stood before it."""
    batch: list[Numbered] = []
    size = 0
    try:
        for row in rows:
            batch.append(row)
            size += row.size
            if len(batch) == BATCH or size > BATCH_BYTES:
                yield batch
                batch, size = [], 0
    except StetError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _awake(rows: Iterable[Numbered], claim: Claim) -> Iterator[Numbered]:
    """The rows; the lease is extended also while a long stretch of them is only skipped."""
    last = time.monotonic()
    for row in rows:
        if time.monotonic() - last > HEARTBEAT_SECONDS:
            claim.progress()
            last = time.monotonic()
        yield row
