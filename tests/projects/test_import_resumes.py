"""An import that is cut off goes on behind the last committed line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.utils import timezone

from stet.common.jobs import Fenced, job_claim, job_run
from stet.common.models import Job
from stet.projects import import_run, jobs
from stet.projects.models import Task
from tests.conftest import Client
from tests.projects.conftest import Upload, error_lines

LINES = 2000


class Killed(BaseException):
    """As if the process had been killed: nothing may catch it."""


def lines(count: int = LINES) -> bytes:
    """Every tenth line is broken."""
    rows = (
        b"{broken"
        if number % 10 == 0
        else orjson.dumps({"messages": [{"role": "user", "content": f"Question {number}"}]})
        for number in range(1, count + 1)
    )
    return b"\n".join(rows)


def kill_at(monkeypatch: pytest.MonkeyPatch, call: int, *, after: bool) -> None:
    """Die in the given call of tasks_add, before or after it has written."""
    seen = 0
    true = jobs.tasks_add

    def add(**fields: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == call and not after:
            raise Killed
        outcome = true(**fields)
        if seen == call:
            raise Killed
        return outcome

    monkeypatch.setattr(jobs, "tasks_add", add)


def lose_the_worker(job_id: int) -> None:
    """Let the lease of the dead worker run out."""
    Job.objects.filter(pk=job_id).update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("call", [1, 2, 3, 4])
@pytest.mark.parametrize("after", [False, True])
def test_a_killed_import_ends_as_if_never_killed(
    as_researcher: Client, upload: Upload, call: int, after: bool
) -> None:
    job_id = upload(as_researcher, "x.jsonl", lines()).json()["id"]
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, call, after=after)
        with pytest.raises(Killed):
            job_run(job_id)
    assert Task.objects.count() == 450 * (call - 1)
    lose_the_worker(job_id)
    job_run(job_id)
    job = as_researcher.get(f"/api/v1/jobs/{job_id}").json()
    counts = {name: job["result"][name] for name in ("rows", "added", "same", "failed")}
    assert counts == {"rows": LINES, "added": 1800, "same": 0, "failed": 200}
    assert [each["line"] for each in error_lines(as_researcher, job)] == [*range(10, LINES + 1, 10)]
    assert Task.objects.count() == 1800


def test_a_worker_that_was_taken_for_dead_writes_nothing_more(
    as_researcher: Client, upload: Upload
) -> None:
    job_id = upload(as_researcher, "x.jsonl", lines()).json()["id"]
    slow = job_claim(job_id)
    assert slow is not None
    lose_the_worker(job_id)
    job_run(job_id)
    with pytest.raises(Fenced):
        slow.progress(line=1)
    assert Job.objects.get(pk=job_id).status == Job.Status.DONE


def test_too_many_broken_lines_end_it_with_what_was_kept(
    imported: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_run, "MAX_ERRORS", 120)
    job = imported("x.jsonl", lines())
    assert (job["status"], job["result"]["code"]) == ("failed", "too_many_errors")
    assert Task.objects.count() == 900
    assert "900" in job["error"]
