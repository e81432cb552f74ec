"""The pages of projects: list, project, import, a job's card."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from stet.accounts.models import User
from stet.common.jobs import job_run
from stet.common.models import Job
from stet.projects.models import Project, Task
from stet.projects.services import guideline_create, project_create, task_create
from stet.projects.services.imports import TRACES

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def add_tasks(project: Project, count: int) -> None:
    for number in range(count):
        messages = [{"role": "user", "content": f"Question {number}"}]
        task_create(project=project, row={"external_id": f"t{number}", "messages": messages})


def post(client: Client, project: Project, name: str, data: bytes) -> Any:
    file = SimpleUploadedFile(name, data)
    return client.post(f"/projects/{project.pk}/import/", {"file": file})


GOOD = b'{"messages": [{"role": "user", "content": "hi"}]}\n'


def test_the_list_shows_ones_own_projects(annotator: User, stranger: User) -> None:
    page = signed_in(annotator).get("/")
    assert "Letters" in page.text
    assert "Elsewhere" not in page.text


def test_an_empty_list_says_what_will_be_here(db: None) -> None:
    page = signed_in(User.objects.create_user("new")).get("/")
    assert "No project yet" in page.text


def test_a_project_shows_guideline_members_and_tasks(
    project: Project, owner: User, annotator: User
) -> None:
    guideline_create(project=project, user=owner, text="# Rule\n\nBe *kind*.")
    add_tasks(project, 3)
    page = signed_in(owner).get(f"/projects/{project.pk}/")
    for part in ("<h1>Rule</h1>", "<em>kind</em>", "t2", "annotator", "/import/"):
        assert part in page.text


def test_what_people_write_stays_text(project: Project, owner: User) -> None:
    text = f"{EVIL}\n\n[x](javascript:alert(1)) ![x](http://127.0.0.1:9/?q=leak)"
    guideline_create(project=project, user=owner, text=text)
    task_create(
        project=project,
        row={
            "messages": [{"role": "user", "content": "x"}],
            "metadata": {"title": EVIL},
            "external_id": EVIL,
        },
    )
    Project.objects.update(name=EVIL[:120], description=EVIL)
    for address in ("/", f"/projects/{project.pk}/", f"/projects/{project.pk}/import/"):
        page = signed_in(owner).get(address).text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert 'href="javascript' not in page


def test_annotators_see_no_import(project: Project, annotator: User) -> None:
    client = signed_in(annotator)
    assert "/import/" not in client.get(f"/projects/{project.pk}/").text
    assert client.get(f"/projects/{project.pk}/import/").status_code == 403
    assert post(client, project, "x.jsonl", GOOD).status_code == 403
    assert not Job.objects.exists()


def test_tasks_come_in_pages(project: Project, owner: User) -> None:
    add_tasks(project, 53)
    client = signed_in(owner)
    first = client.get(f"/projects/{project.pk}/").text
    found = re.search(r'href="\?cursor=(\d+)"', first)
    assert found is not None
    second = client.get(f"/projects/{project.pk}/?cursor={found[1]}").text
    assert "t49" in first
    assert "t50" not in first
    assert "t52" in second
    assert client.get(f"/projects/{project.pk}/?cursor=x").status_code == 422


def test_an_import_shows_its_job_until_it_is_done(project: Project, researcher: User) -> None:
    client = signed_in(researcher)
    sent = post(client, project, "three.jsonl", GOOD + b"{broken\n")
    assert sent.status_code == 302
    page = client.get(sent.headers["Location"]).text
    assert 'data-state="queued"' in page
    job = Job.objects.get()
    assert f'hx-get="/jobs/{job.pk}/"' in page
    job_run(job.pk)
    card = client.get(f"/jobs/{job.pk}/", headers={"HX-Request": "true"}).text
    assert 'data-state="done"' in card
    assert "hx-get" not in card
    assert "line 2" in card
    assert f"/api/v1/jobs/{job.pk}/errors.jsonl" in card
    assert Task.objects.count() == 1


@pytest.mark.parametrize(("name", "data"), [("x.exe", b"x"), ("x.jsonl", b"")])
def test_a_bad_upload_says_why(project: Project, researcher: User, name: str, data: bytes) -> None:
    page = post(signed_in(researcher), project, name, data)
    assert page.status_code == 422
    assert 'role="alert"' in page.text


def test_the_form_says_what_a_file_holds(project: Project, researcher: User) -> None:
    said = b'{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}'
    line = b'{"messages": [' + said + b"]}"
    client = signed_in(researcher)
    file = SimpleUploadedFile("runs.jsonl", line)
    sent = {"file": file, "kind": "traces", "on_conflict": "supersede"}
    assert client.post(f"/projects/{project.pk}/import/", sent).status_code == 302
    job = Job.objects.latest("pk")
    assert (job.kind, job.params["format"], job.params["on_conflict"]) == (
        TRACES,
        "auto",
        "supersede",
    )


def test_a_form_without_a_file_says_so(project: Project, researcher: User) -> None:
    page = signed_in(researcher).post(f"/projects/{project.pk}/import/", {})
    assert page.status_code == 422


def test_a_stranger_gets_404(project: Project, researcher: User, stranger: User) -> None:
    post(signed_in(researcher), project, "x.jsonl", GOOD)
    client = signed_in(stranger)
    job = Job.objects.get()
    for address in (
        f"/projects/{project.pk}/",
        f"/projects/{project.pk}/import/",
        f"/jobs/{job.pk}/",
    ):
        assert client.get(address).status_code == 404
        assert Client().get(address).status_code == 302


def test_the_pages_cost_the_same_whatever_their_length(
    project: Project, owner: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    add_tasks(project, 40)
    for number in range(12):
        project_create(user=owner, name=f"P{number}")
    client = signed_in(owner)
    with django_assert_max_num_queries(6):
        client.get("/")
    with django_assert_max_num_queries(12):
        client.get(f"/projects/{project.pk}/")


def test_every_page_forbids_scripts_of_others(owner: User, project: Project) -> None:
    answer = signed_in(owner).get(f"/projects/{project.pk}/")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    asked = re.findall(r'(?:src|href|action)="(?:https?:)?//[^"]*"', answer.text)
    assert asked == []


def test_an_upload_beyond_the_limit_is_413(
    project: Project, researcher: User, monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    monkeypatch.setattr("stet.common.uploads.MAX_UPLOAD", 100_000)
    answer = post(signed_in(researcher), project, "x.jsonl", b"x" * 200_000)
    assert answer.status_code == 413
    assert not (data_dir / "uploads").exists()
