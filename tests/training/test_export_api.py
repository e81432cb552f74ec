"""Datasets and exports over REST: who may, what comes back, and files that never change."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from stet.common.jobs import job_run
from stet.projects.models import Project
from tests.conftest import Client
from tests.training.factories import EOS, Tree, ids_of
from training.models import Export

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def made(client: Client, project: Project, target: str = "sft", **body: Any) -> dict[str, Any]:
    """A dataset and a finished export of it, asked for as a program would."""
    dataset = client.post(f"{API}/datasets", {"project": project.pk, "name": "all"}, format="json")
    assert dataset.status_code == 201
    path = f"{API}/datasets/{dataset.json()['id']}/exports"
    answer = client.post(path, {"target": target, **body}, format="json")
    assert answer.status_code == 202, answer.content
    assert answer.json()["export"]["status"] == "queued"
    job_run(answer.json()["job"])
    pk = answer.json()["export"]["id"]
    shown: dict[str, Any] = client.get(f"{API}/exports/{pk}").json()
    return shown


@pytest.fixture
def export(grow: Callable[..., Tree], project: Project, as_researcher: Client) -> dict[str, Any]:
    tree = grow()
    tree.sample([*ids_of("5"), EOS])
    tree.submit()
    return made(as_researcher, project)


def test_an_export_tells_where_its_files_are(export: dict[str, Any], as_researcher: Client) -> None:
    assert (export["status"], export["rows"], export["note"]) == ("done", 1, "")
    names = [file["name"] for file in export["files"]]
    shards = [f"shard-00000.{ending}" for ending in ("jsonl", "jsonl.gz", "parquet")]
    assert names == [*shards, "lineage.jsonl"]
    for file in export["files"]:
        answer = as_researcher.get(file["url"])
        data = b"".join(answer.streaming_content)
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        assert int(answer["Content-Length"]) == len(data) == file["size"]
    manifest = as_researcher.get(export["manifest_url"])
    assert manifest["Content-Type"] == "application/json"
    assert "immutable" in manifest["Cache-Control"]
    listed = as_researcher.get(f"{API}/exports?project={export['project']}").json()["results"]
    assert [one["id"] for one in listed] == [export["id"]]


def test_head_range_and_etag(export: dict[str, Any], as_researcher: Client) -> None:
    url, size = export["files"][0]["url"], export["files"][0]["size"]
    whole = b"".join(as_researcher.get(url).streaming_content)
    head = as_researcher.head(url)
    assert head.content == b""
    assert int(head["Content-Length"]) == size
    assert head["Accept-Ranges"] == "bytes"
    for asked, window in {
        "bytes=0-9": slice(0, 10),
        "bytes=5-": slice(5, None),
        "bytes=-7": slice(-7, None),
        f"bytes=3-{size + 100}": slice(3, None),
        f"bytes=-{size + 100}": slice(0, None),
    }.items():
        part = as_researcher.get(url, HTTP_RANGE=asked)
        assert part.status_code == 206
        data = b"".join(part.streaming_content)
        assert data == whole[window]
        start = whole.index(data)
        assert part["Content-Range"] == f"bytes {start}-{start + len(data) - 1}/{size}"
    for asked in (f"bytes={size}-", "bytes=9-3", "bytes=-0"):
        refused = as_researcher.get(url, HTTP_RANGE=asked)
        assert (refused.status_code, refused["Content-Range"]) == (416, f"bytes */{size}")
    for asked in ("bytes=0-1,4-5", "lines=1-2", "bytes=a-b"):
        assert as_researcher.get(url, HTTP_RANGE=asked).status_code == 200
    tag = head["ETag"]
    assert as_researcher.get(url, HTTP_IF_NONE_MATCH=f'"x", W/{tag}').status_code == 304
    changed = as_researcher.get(url, HTTP_RANGE="bytes=0-9", HTTP_IF_RANGE='"other"')
    assert changed.status_code == 200
    assert as_researcher.get(url, HTTP_ACCEPT="application/parquet").status_code == 200


def test_a_wrong_hash_or_name_is_not_there(export: dict[str, Any], as_researcher: Client) -> None:
    base = f"{API}/exports/{export['id']}"
    for path in (
        f"{base}/{'0' * 64}/shard-00000.jsonl",
        f"{base}/{export['sha256']}/shard-00001.jsonl",
        f"{base}/{export['sha256']}/..%2F..%2Fsecret",
        f"{API}/exports/999999999999999999999999",
    ):
        answer = as_researcher.get(path)
        assert answer.status_code == 404, path
    assert as_researcher.get(f"{base}/{'0' * 64}/shard-00000.jsonl").json()["code"] == "not_found"


def test_strangers_see_nothing_and_annotators_may_not(
    export: dict[str, Any], as_stranger: Client, as_annotator: Client, as_reviewer: Client
) -> None:
    paths = [
        f"{API}/datasets/{export['dataset']}",
        f"{API}/exports/{export['id']}",
        export["manifest_url"],
        export["files"][0]["url"],
    ]
    for client, status in ((as_stranger, 404), (as_annotator, 403), (as_reviewer, 403)):
        assert [client.get(path).status_code for path in paths] == [status] * len(paths)
        assert client.get(f"{API}/exports").json()["results"] == []
        assert client.get(f"{API}/datasets").json()["results"] == []
        body = {"project": export["project"], "name": "mine"}
        assert client.post(f"{API}/datasets", body, format="json").status_code == status
        path = f"{API}/datasets/{export['dataset']}/exports"
        assert client.post(path, {"target": "sft"}, format="json").status_code == status
    assert Export.objects.count() == 1


def test_bad_input_is_named(project: Project, as_researcher: Client, policy: Any) -> None:
    for body in (
        {"project": project.pk, "name": "x", "colour": "red"},
        {"project": project.pk, "name": "x", "query": {"status": "any"}},
        {"project": project.pk, "name": "x", "query": {"since": "yesterday"}},
        {"project": project.pk},
    ):
        answer = as_researcher.post(f"{API}/datasets", body, format="json")
        assert answer.status_code == 422, body
        assert answer.json()["errors"]
    body = {"project": project.pk, "name": "x"}
    dataset = as_researcher.post(f"{API}/datasets", body, format="json").json()["id"]
    for body, status, code in (
        ({"target": "nothing"}, 404, "no_such_target"),
        ({"target": "sft", "options": {"colour": "red"}}, 422, "bad_option"),
        ({"target": "sft", "options": {"finished": "no"}}, 422, "bad_option"),
        ({"target": "sft", "options": {"finished": ["only"]}}, 422, "bad_option"),
        ({"target": "sft", "watermark": "2999-01-01T00:00:00Z"}, 422, "bad_watermark"),
    ):
        path = f"{API}/datasets/{dataset}/exports"
        answer = as_researcher.post(path, body, format="json")
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Export.objects.exists()


def test_an_empty_export_says_why_where_its_shard_would_be(
    project: Project, as_researcher: Client, policy: Any
) -> None:
    export = made(as_researcher, project)
    assert (export["rows"], export["status"]) == (0, "done")
    assert export["note"].startswith("No rows")
    path = export["manifest_url"].replace("manifest.json", "shard-00000.jsonl")
    assert as_researcher.get(path).json()["detail"] == export["note"]


def test_the_targets_are_listed_with_options_and_columns(as_researcher: Client) -> None:
    listed = {one["name"]: one for one in as_researcher.get(f"{API}/export-targets").json()}
    assert {"sft", "dpo", "rollouts", "token-corrections", "panda"} <= listed.keys()
    assert listed["sft"]["options"] == {"finished": ["only", "any"]}
    assert listed["sft"]["columns"]["input_ids"] == "list<item: int32>"


def test_a_panda_export_gives_each_task_as_a_file(
    grow: Callable[..., Tree], project: Project, as_researcher: Client
) -> None:
    for name in ("letters/1 ä", "letters-2"):
        tree = grow(external_id=name)
        tree.sample([*ids_of("5"), EOS])
        tree.submit()
    export = made(as_researcher, project, "panda")
    lines = b"".join(as_researcher.get(export["files"][0]["url"]).streaming_content).splitlines()
    base = export["manifest_url"].removesuffix("manifest.json")
    for name, line in zip(("letters/1 ä", "letters-2"), lines, strict=True):
        answer = as_researcher.get(f"{base}{quote(name)}.panda.json")
        assert answer.content == line
        assert answer.json()["uuid"] == name
    assert as_researcher.get(f"{base}letters-3.panda.json").status_code == 404
