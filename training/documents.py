"""Datasets and exports as people and programs see them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.utils.translation import gettext as _

from stet.common.models import Job
from stet.projects.job_view import error_text
from training.manifest import MANIFEST_FILE, note
from training.models import Dataset, Export


def dataset_data(dataset: Dataset) -> dict[str, Any]:
    return {
        "id": dataset.pk,
        "project": dataset.project_id,
        "name": dataset.name,
        "query": dataset.query,
        "created_at": dataset.created_at,
    }


def export_data(export: Export) -> dict[str, Any]:
    """The export's JSON; ``files`` have their addresses once it is done."""
    job, told = export.job, export.manifest or {}
    counts = told.get("counts", {})
    progress = job.progress if job is not None else {}
    return {
        "id": export.pk,
        "dataset": export.dataset_id,
        "project": export.dataset.project_id,
        "target": export.target,
        "options": export.options,
        "watermark": export.watermark,
        "status": status_of(export),
        "job": export.job_id,
        "done": progress.get("done", 0),
        "total": progress.get("total"),
        "submissions": counts.get("submissions"),
        "rows": counts.get("rows"),
        "excluded": counts.get("excluded", {}),
        "note": export_note(export),
        "error": error_text(job) if job is not None and not export.sha256 else "",
        "sha256": export.sha256 or None,
        "manifest_url": url_of(export, MANIFEST_FILE) if export.sha256 else None,
        "files": [
            {
                "name": file.name,
                "url": url_of(export, file.name),
                "size": file.size,
                "rows": file.rows,
                "sha256": file.sha256,
            }
            for file in sorted(export.files.all(), key=lambda file: file.pk)
        ],
        "created_at": export.created_at,
    }


def export_note(export: Export) -> str:
    """Why an export is empty, in the reader's language; the manifest itself has one wording."""
    if export.manifest is None:
        return ""
    counts = export.manifest["counts"]
    return note(counts, counts["excluded"])


def status_of(export: Export) -> str:
    """The job's status; an export that has files is done whatever its job says."""
    if export.sha256:
        return str(Job.Status.DONE)
    return str(export.job.status if export.job is not None else Job.Status.QUEUED)


def url_of(export: Export, name: str) -> str:
    return f"/api/v1/exports/{export.pk}/{export.sha256}/{quote(name)}"


def export_card(export: Export) -> dict[str, Any]:
    """The export in the words of its template."""
    told = export_data(export)
    labels = {
        "queued": _("queued"),
        "running": _("running"),
        "done": _("done"),
        "failed": _("failed"),
    }
    files = [{**file, "bytes": file["size"]} for file in told["files"]]
    return {
        **told,
        "state": told["status"],
        "state_label": labels[told["status"]],
        "files": files,
    }
