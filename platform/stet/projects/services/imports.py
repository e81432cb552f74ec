"""Uploads: kept under a random name, then read by a job."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from stet.accounts.models import User
from stet.common.jobs import job_create
from stet.common.models import Job
from stet.projects.models import Project

TASKS, TRACES = "projects.import_tasks", "traces.import_traces"


def uploads() -> Path:
    """The folder of uploads, readable by the server's own account only."""
    folder = Path(settings.DATA_DIR) / "uploads"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def upload_path(job: Job) -> Path:
    """Where the upload of an import lies until it is read."""
    return uploads() / str(job.params["upload"])


def errors_path(job: Job) -> Path:
    """Where the report of an import's bad lines lies."""
    return uploads() / f"{job.params['upload']}.errors.jsonl"


def import_create(
    *, project: Project, user: User, upload: UploadedFile[Any], kind: str, **params: Any
) -> Job:
    """Keep the upload under a random name and queue the job ``kind`` that reads it."""
    name = secrets.token_hex(16)
    target = uploads() / name
    try:
        with target.open("xb") as file:
            for chunk in upload.chunks():
                file.write(chunk)
        with transaction.atomic():
            return job_create(
                kind=kind,
                params={**params, "upload": name, "name": (upload.name or "")[:200]},
                user=user,
                project_id=project.pk,
            )
    except BaseException:
        target.unlink(missing_ok=True)
        raise
