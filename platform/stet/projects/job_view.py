"""A job as people and programs see it; where files lie is not among it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.models import Job
from stet.projects.services.imports import errors_path

STATES = {
    Job.Status.QUEUED.value: gettext_lazy("queued"),
    Job.Status.RUNNING.value: gettext_lazy("running"),
    Job.Status.DONE.value: gettext_lazy("done"),
    Job.Status.FAILED.value: gettext_lazy("failed"),
}


INNER = ("errors_bytes",)


def job_data(job: Job) -> dict[str, Any]:
    """The job's JSON. ``waiting`` says why nothing happens yet."""
    progress = {name: value for name, value in job.progress.items() if name not in INNER}
    return {
        "id": job.pk,
        "kind": job.kind,
        "project": job.project_id,
        "name": job.params.get("name", ""),
        "status": job.status,
        "progress": progress,
        "result": job.result,
        "error": error_text(job),
        "errors_url": f"/api/v1/jobs/{job.pk}/errors.jsonl" if progress.get("failed") else None,
        "waiting": waiting(job),
        "created_at": job.created_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
    }


def stuck(job: Job) -> bool:
    """Whether it has waited so long that no worker seems to run."""
    waits = timezone.now() - job.created_at
    return job.status == Job.Status.QUEUED and waits > timedelta(seconds=10)


def error_text(job: Job) -> str:
    """Why the job failed; what only a programmer can read stays in the log."""
    if job.error and job.result is None:
        return _(
            "A fault of the server ended this job; its log says more. What is counted is kept."
        )
    return job.error


def waiting(job: Job) -> str | None:
    """Why a queued job stands still, in words."""
    if job.status != Job.Status.QUEUED:
        return None
    if stuck(job):
        return _("Queued, but no worker takes it: is the worker running? Nothing is lost.")
    return _("Queued; it starts as soon as a worker is free.")


def job_card(job: Job) -> dict[str, Any]:
    """What the page's card of an import shows: state, counts, the first bad lines."""
    progress = job.progress
    failed = progress.get("failed", 0)
    return {
        "id": job.pk,
        "name": job.params.get("name", ""),
        "state": job.status,
        "state_label": STATES[job.status],
        "total": progress.get("bytes", 0),
        "done": progress.get("bytes_read", 0),
        "created": progress.get("added", 0) + progress.get("superseded", 0),
        "skipped": progress.get("same", 0),
        "failed": failed,
        "detail": error_text(job) or waiting(job),
        "errors": first_errors(job) if failed else [],
        "error_file_url": f"/api/v1/jobs/{job.pk}/errors.jsonl" if failed else None,
        "started_at": job.started_at or job.created_at,
        "finished_at": job.ended_at,
        "worker": not stuck(job),
    }


def first_errors(job: Job, count: int = 20) -> list[dict[str, Any]]:
    """The first reports of bad lines that are committed."""
    end = job.progress.get("errors_bytes", 0)
    try:
        with errors_path(job).open("rb") as file:
            lines = file.read(min(end, 64 * 1024)).split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    return [orjson.loads(line) for line in lines[:count]]
