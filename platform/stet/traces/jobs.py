"""The job that reads an upload of foreign traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stet.accounts.models import User
from stet.common.errors import StetError
from stet.common.jobs import Claim, worker
from stet.policies.selectors import model_folder
from stet.projects.files.json_lines import Numbered
from stet.projects.import_run import Batch, import_run
from stet.projects.models import Project
from stet.projects.services.imports import TRACES
from stet.traces.foreign_file import TraceFile
from stet.traces.services import foreign_add


@worker(TRACES)
def import_traces(claim: Claim) -> dict[str, Any]:
    """Add the traces of an upload as episodes of who uploaded it."""
    author = User.objects.get(pk=claim.job.created_by_id or 0)

    def add(project: Project, rows: list[Numbered]) -> Batch:
        good = [(row.number, row.value) for row in rows if not isinstance(row.value, StetError)]
        bad = [(row.number, row.value) for row in rows if isinstance(row.value, StetError)]
        outcome = foreign_add(
            project=project, author=author, items=good, folder=model_folder(project.pk)
        )
        counts = {"added": outcome.added, "same": outcome.same}
        return Batch(counts, [*bad, *outcome.errors])

    def read(path: Path) -> TraceFile:
        return TraceFile(path, claim.job.params["format"])

    return import_run(claim, read, add)
