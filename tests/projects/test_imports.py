"""/projects/{id}/imports: a job reads the file; good rows are kept, bad ones reported."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stet.common import uploads
from stet.common.jobs import job_run
from stet.common.models import Job, Outbox
from stet.projects.models import Project, Task
from tests.conftest import Client
from tests.projects.conftest import Upload, error_lines

Imported = Callable[..., dict[str, Any]]


def line(name: str, text: str = "Name a river.", **more: Any) -> bytes:
    row = {"external_id": name, "messages": [{"role": "user", "content": text}], **more}
    return orjson.dumps(row) + b"\n"


def parquet(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def test_a_file_becomes_tasks_and_a_report(imported: Imported, as_researcher: Client) -> None:
    data = b"\xef\xbb\xbf" + line("a") + b"{broken\r\n" + line("b").replace(b"\n", b"\r\n")
    job = imported("three.jsonl", data + line("a", "other") + b'{"messages": 1}')
    assert job["status"] == "done"
    counts = {name: job["result"][name] for name in ("rows", "added", "same", "failed")}
    assert counts == {"rows": 5, "added": 2, "same": 0, "failed": 3}
    assert job["progress"]["bytes"] == job["progress"]["bytes_read"]
    said = error_lines(as_researcher, job)
    assert [(each["line"], each["code"]) for each in said] == [
        (2, "bad_json"),
        (4, "external_id_taken"),
        (5, "invalid"),
    ]
    assert said[2]["errors"][0]["field"] == "messages"


def test_the_same_file_twice_adds_nothing(imported: Imported) -> None:
    data = b"".join(line(f"t{number}") for number in range(1200))
    assert imported("a.jsonl", data)["result"]["added"] == 1200
    again = imported("b.jsonl", data)["result"]
    assert (again["added"], again["same"], again["failed"]) == (0, 1200, 0)
    assert Task.objects.count() == 1200


def test_a_file_may_supersede(imported: Imported) -> None:
    imported("a.jsonl", line("a", "one"))
    result = imported("a.jsonl", line("a", "two"), on_conflict="supersede")["result"]
    assert (result["added"], result["superseded"]) == (0, 1)


def test_gzip_reads_as_what_it_holds(imported: Imported) -> None:
    two = gzip.compress(line("a")) + gzip.compress(line("b"))
    assert imported("x.jsonl.gz", two)["result"]["added"] == 2


def test_csv_reads_every_kind_of_column(imported: Imported, project: Project) -> None:
    data = (
        "external_id,system,prompt,reference,metadata.title,overlap,checks\r\n"
        'a,Be short.,"two\nlines, ""quoted""",42,Rivers,2,"[{""kind"": ""x""}]"\r\n'
        "\r\n"
        "b,,修正,,,,\r\n"
        "c,,hello,,,two,\r\n"
        "d,,hello,,,,{broken\r\n"
        "e,,hello,,,,,,,\r\n"
    )
    job = imported("x.csv", data.encode("utf-8-sig"))
    assert (job["result"]["added"], job["result"]["failed"]) == (2, 3)
    first = Task.objects.get(external_id="a")
    assert first.messages == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": 'two\nlines, "quoted"'},
    ]
    assert (first.reference, first.metadata) == ("42", {"title": "Rivers"})
    assert (first.overlap, first.checks) == (2, [{"kind": "x"}])


def test_csv_errors_carry_the_line_of_an_editor(imported: Imported, as_researcher: Client) -> None:
    job = imported("x.csv", b'prompt,overlap\n"a\nb\nc",x\nd,1\n,\ne,y\n')
    assert [each["line"] for each in error_lines(as_researcher, job)] == [2, 7]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("prompt\nhello\n".encode("utf-16"), "bad_encoding"),
        ("prompt\ngrün\n".encode("latin-1"), "bad_encoding"),
        ("prompt\n修正\n".encode("gb18030"), "bad_encoding"),
        (b"question\nhello\n", "unknown_column"),
        (b"prompt,prompt\na,b\n", "doubled_column"),
        (b"external_id\na\n", "no_prompt_column"),
        (b'prompt\n"never closed\n', "bad_csv"),
        (b"prompt\n", "empty_file"),
        (b"\n\n", "empty_file"),
    ],
)
def test_a_csv_that_cannot_be_read_says_why(imported: Imported, data: bytes, code: str) -> None:
    job = imported("x.csv", data)
    assert (job["status"], job["result"]["code"]) == ("failed", code)
    assert job["error"]


def test_rows_before_a_fault_of_the_file_are_kept(imported: Imported) -> None:
    job = imported("x.csv", b'prompt\none\ntwo\n"never closed\n')
    assert job["status"] == "failed"
    assert "2" in job["error"]
    assert Task.objects.count() == 2


def test_parquet_reads_the_same_columns(imported: Imported, as_researcher: Client) -> None:
    message = pa.struct([("role", pa.string()), ("content", pa.string()), ("name", pa.string())])
    table = pa.table(
        {
            "external_id": ["a", "b", "c"],
            "messages": pa.array(
                [[{"role": "user", "content": "hi"}], [{"role": "boss", "content": "x"}], None],
                pa.list_(message),
            ),
            "prompt": [None, None, "修正"],
            "metadata.score": [1.5, float("nan"), 2.0],
            "overlap": [1, 1, 3],
        }
    )
    job = imported("x.parquet", parquet(table, row_group_size=2))
    assert (job["result"]["added"], job["result"]["failed"]) == (2, 1)
    assert error_lines(as_researcher, job)[0]["line"] == 2
    first, last = Task.objects.order_by("external_id")
    assert first.messages == [{"role": "user", "content": "hi"}]
    assert first.metadata == {"score": 1.5}
    assert (last.messages[0]["content"], last.overlap) == ("修正", 3)


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.parquet", "x.jsonl.gz"])
def test_an_empty_file_says_so_at_once(as_researcher: Client, upload: Upload, name: str) -> None:
    answer = upload(as_researcher, name, b"")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "file"
    assert not Job.objects.exists()


def test_a_file_without_rows_is_an_error(imported: Imported) -> None:
    job = imported("x.jsonl", b"\n  \n")
    assert (job["status"], job["result"]["code"]) == ("failed", "empty_file")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"format": "xml"}, "x.jsonl"),
        ({}, "x.exe"),
        ({"on_conflict": "merge"}, "x.jsonl"),
        ({"colour": "red"}, "x.jsonl"),
    ],
)
def test_bad_fields_are_refused_at_once(
    as_researcher: Client, upload: Upload, fields: dict[str, str], name: str
) -> None:
    assert upload(as_researcher, name, line("a"), **fields).status_code == 422
    assert not Job.objects.exists()


def test_an_import_needs_a_file(as_researcher: Client, project: Project) -> None:
    address = f"/api/v1/projects/{project.pk}/imports"
    assert as_researcher.post(address, {"file": "text"}).status_code == 422
    assert as_researcher.post(address, {}).status_code == 422
    assert as_researcher.post(address, {"a": 1}, format="json").status_code == 415


def test_an_upload_beyond_the_limit_is_413(
    as_researcher: Client, upload: Upload, monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    monkeypatch.setattr(uploads, "MAX_UPLOAD", 300_000)
    answer = upload(as_researcher, "x.jsonl", b"x" * 400_000)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert not (data_dir / "uploads").exists()


def test_uploads_lie_under_a_random_name(
    as_researcher: Client, upload: Upload, data_dir: Path
) -> None:
    answer = upload(as_researcher, "../../etc/passwd\x00<b>.jsonl", line("a"))
    assert answer.status_code in (202, 422)
    answer = upload(as_researcher, "..\\evil.jsonl", line("a"), format="jsonl")
    assert answer.status_code == 202
    for path in (data_dir / "uploads").iterdir():
        assert path.stem.isalnum()
        assert "evil" not in path.name


def test_the_message_leaves_with_the_job(as_researcher: Client, upload: Upload) -> None:
    answer = upload(as_researcher, "x.jsonl", line("a"))
    assert answer.json()["status"] == "queued"
    assert answer.json()["waiting"]
    assert Outbox.objects.get().kwargs == {"job_id": answer.json()["id"]}


def test_a_second_delivery_changes_nothing(as_researcher: Client, imported: Imported) -> None:
    job = imported("x.jsonl", line("a"))
    job_run(job["id"])
    assert as_researcher.get(f"/api/v1/jobs/{job['id']}").json() == job


def test_the_same_key_uploads_once(as_researcher: Client, project: Project, upload: Upload) -> None:
    extra = {"HTTP_IDEMPOTENCY_KEY": "k"}
    from django.core.files.uploadedfile import SimpleUploadedFile

    answers = [
        as_researcher.post(
            f"/api/v1/projects/{project.pk}/imports",
            {"file": SimpleUploadedFile("x.jsonl", line("a"))},
            **extra,
        )
        for _ in range(2)
    ]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert Job.objects.count() == 1


@pytest.mark.parametrize("role", ["annotator", "reviewer"])
def test_annotators_and_reviewers_import_nothing(
    role: str, request: pytest.FixtureRequest, upload: Upload
) -> None:
    client: Client = request.getfixturevalue(f"as_{role}")
    assert upload(client, "x.jsonl", line("a")).status_code == 403
    assert not Job.objects.exists()


def test_jobs_are_shown_to_researchers_of_the_project_only(
    as_owner: Client, as_annotator: Client, as_stranger: Client, imported: Imported
) -> None:
    job = imported("x.jsonl", b"{broken\n" + line("a"))
    for address in (f"/api/v1/jobs/{job['id']}", job["errors_url"]):
        shown = as_owner.get(address)
        assert shown.content if not shown.streaming else list(shown.streaming_content)
        assert shown.status_code == 200
        assert as_annotator.get(address).status_code == 403
        assert as_stranger.get(address).status_code == 404


def test_a_stranger_gets_404(as_stranger: Client, upload: Upload, project: Project) -> None:
    assert upload(as_stranger, "x.jsonl", line("a")).status_code == 404
    assert as_stranger.get(f"/api/v1/projects/{project.pk}/imports").status_code == 404
    assert as_stranger.get("/api/v1/jobs/999999").status_code == 404
