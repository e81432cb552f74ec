"""Uploads and the jobs that read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from stet.common.jobs import job_run
from stet.common.models import Job
from stet.projects.models import Project
from tests.conftest import Client

Upload = Callable[..., Any]


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Settings) -> Path:
    """A folder of data for each test."""
    settings.DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


@pytest.fixture
def upload(project: Project) -> Upload:
    """POST a file as an import."""

    def post(client: Client, name: str, data: bytes, **fields: str) -> Any:
        file = SimpleUploadedFile(name, data)
        return client.post(f"/api/v1/projects/{project.pk}/imports", {"file": file, **fields})

    return post


@pytest.fixture
def imported(as_researcher: Client, upload: Upload) -> Callable[..., dict[str, Any]]:
    """Upload a file, let the worker read it, and give the job as the API shows it."""

    def run(name: str, data: bytes, **fields: str) -> dict[str, Any]:
        answer = upload(as_researcher, name, data, **fields)
        assert answer.status_code == 202, answer.json()
        job_run(answer.json()["id"])
        job: dict[str, Any] = as_researcher.get(f"/api/v1/jobs/{answer.json()['id']}").json()
        return job

    return run


def error_lines(client: Client, job: dict[str, Any]) -> list[dict[str, Any]]:
    """The report of a job's bad lines."""
    import orjson

    answer = client.get(job["errors_url"])
    assert "attachment" in answer["Content-Disposition"]
    return [orjson.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def jobs() -> list[Job]:
    return list(Job.objects.order_by("pk"))
