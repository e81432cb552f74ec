"""What imports must not lose: every file, every good line, and the reason why one waits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from stet.common.jobs import job_run
from stet.common.models import Job
from stet.projects.models import Project, Task
from tests.conftest import Client
from tests.projects.conftest import Upload, error_lines
from tests.projects.test_imports import line
from tests.projects.test_pages import signed_in


def lines(name: str, count: int = 8) -> list[bytes]:
    return [line(f"{name}{number}", f"Question {name} {number}") for number in range(count)]


def test_three_files_are_all_kept_and_each_fault_is_named(
    as_researcher: Client, upload: Upload
) -> None:
    broken, doubled = lines("b"), lines("c")
    broken[6] = b'{"messages": [{"role": "user"\n'
    doubled[3] = line("a0", "The same name, another question")
    files = {
        "a.jsonl": b"".join(lines("a")),
        "b.jsonl": b"\xef\xbb\xbf" + b"".join(broken),
        "c.jsonl": b"".join(doubled).replace(b"\n", b"\r\n"),
    }
    jobs = [upload(as_researcher, name, data).json() for name, data in files.items()]
    assert [job["name"] for job in jobs] == list(files)
    for job in jobs:
        job_run(job["id"])
    done = [as_researcher.get(f"/api/v1/jobs/{job['id']}").json() for job in jobs]
    assert [(job["result"]["added"], job["result"]["failed"]) for job in done] == [
        (8, 0),
        (7, 1),
        (7, 1),
    ]
    faults = [
        (error["line"], error["code"])
        for job in done[1:]
        for error in error_lines(as_researcher, job)
    ]
    assert faults == [(7, "bad_json"), (4, "external_id_taken")]
    assert Task.objects.count() == 22
    first = Task.objects.get(external_id="c0")
    assert first.messages[0]["content"] == "Question c 0"


def test_without_a_worker_it_says_that_nobody_takes_it(
    as_researcher: Client, upload: Upload, project: Project
) -> None:
    job = upload(as_researcher, "a.jsonl", b"".join(lines("a"))).json()
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    shown: dict[str, Any] = as_researcher.get(f"/api/v1/jobs/{job['id']}").json()
    assert shown["status"] == "queued"
    assert "no worker" in shown["waiting"]
    page = signed_in(as_researcher.person).get(f"/projects/{project.pk}/import/?job={job['id']}")
    assert "Queued, but no worker is running" in page.text
    job_run(job["id"])
    assert as_researcher.get(f"/api/v1/jobs/{job['id']}").json()["status"] == "done"


@pytest.mark.django_db
def test_an_import_costs_the_same_into_a_full_project(
    as_researcher: Client, upload: Upload
) -> None:
    counts = []
    for name, before in (("small", 0), ("full", 1500)):
        if before:
            job_run(upload(as_researcher, "x.jsonl", b"".join(lines("x", before))).json()["id"])
        job = upload(as_researcher, "y.jsonl", b"".join(lines(name, 20))).json()
        with CaptureQueriesContext(connection) as asked:
            job_run(job["id"])
        counts.append(len(asked))
        rows = max(len(query["sql"]) for query in asked.captured_queries)
        assert rows < 100_000
    assert counts[0] == counts[1]
