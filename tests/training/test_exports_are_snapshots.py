"""The same watermark gives the same bytes, and the manifest tells the truth about them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from stet.accounts.models import User
from stet.projects.models import Project
from stet.traces.models import Act, Episode
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import export_of, lines_of
from training.models import Export
from training.services import export_folder
from training.targets.base import targets

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def answered(grow: Callable[..., Tree], text: str = "5", **task: Any) -> Tree:
    tree = grow(**task)
    wrong = tree.sample([*ids_of("6, because"), EOS], others=ids_of(text))
    tree.correct(wrong, 0, ids_of(text))
    tree.sample([EOS])
    return tree


def bytes_of(export: Export) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(export_folder(export).iterdir())}


@pytest.mark.parametrize("target", ["sft", "dpo", "rollouts", "token-corrections", "panda"])
def test_the_same_watermark_gives_the_same_bytes(
    target: str, grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    for text in ("5", "five", "⁵"):
        answered(grow, text, checks=[], reference=text).submit()
    first = export_of(project, researcher, target)
    answered(grow).submit()
    again = export_of(project, researcher, target, watermark=first.watermark)
    before, after = bytes_of(first), bytes_of(again)
    told, repeated = (json.loads(each.pop("manifest.json")) for each in (before, after))
    assert before == after
    assert first.sha256 == again.sha256
    # The two differ in nothing but the dataset that was asked.
    assert told.pop("dataset") != repeated.pop("dataset")
    assert told == repeated
    later = export_of(project, researcher, target)
    assert later.sha256 != first.sha256
    assert len(lines_of(later)) == len(lines_of(first)) + 1


@pytest.mark.parametrize("target", ["sft", "dpo", "rollouts", "token-corrections", "panda"])
def test_the_manifest_counts_and_hashes_what_is_there(
    target: str, grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    for _ in range(3):
        answered(grow).submit()
    export = export_of(project, researcher, target)
    files = bytes_of(export)
    told = json.loads(files.pop("manifest.json"))
    assert told == export.manifest
    assert {file["name"] for file in told["files"]} == files.keys()
    for file in told["files"]:
        data = files[file["name"]]
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size"], file["sha256"])
    listed = [[file["name"], file["size"], file["sha256"]] for file in told["files"]]
    assert told["sha256"] == hashlib.sha256(orjson.dumps(listed)).hexdigest()
    assert told["counts"]["rows"] == len(lines_of(export)) == 3
    assert told["policies"]
    assert len(told["tokenizers"]) == len(told["chat_templates"]) == 1
    lineage = [json.loads(line) for line in files["lineage.jsonl"].splitlines()]
    assert [line["rows"] for line in lineage] == [1, 1, 1]
    assert all(line["corrections"] for line in lineage)


@pytest.mark.parametrize("target", ["sft", "dpo", "rollouts", "token-corrections"])
def test_the_three_kinds_of_file_hold_the_same_rows(
    target: str, grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    answered(grow, reference="5").submit()
    folder = export_folder(export_of(project, researcher, target))
    lines = (folder / "shard-00000.jsonl").read_bytes()
    assert gzip.decompress((folder / "shard-00000.jsonl.gz").read_bytes()) == lines
    table = pq.read_table(folder / "shard-00000.parquet")
    assert table.schema.equals(targets()[target].schema())
    assert table.to_pylist() == [json.loads(line) for line in lines.splitlines()]


def test_long_exports_are_cut_into_shards(
    grow: Callable[..., Tree], project: Project, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        answered(grow).submit()
    whole = lines_of(export_of(project, researcher))
    longest = max(len(orjson.dumps(row)) + 1 for row in whole)
    monkeypatch.setattr("training.build.SHARD_BYTES", 2 * longest)
    cut = export_of(project, researcher)
    folder = export_folder(cut)
    sizes = [path.stat().st_size for path in sorted(folder.glob("*.jsonl")) if "shard" in path.name]
    assert len(sizes) == 3
    assert max(sizes) <= 2 * longest
    assert lines_of(cut) == whole


def test_an_empty_export_says_so(
    grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    empty = export_of(project, researcher)
    assert empty.manifest is not None
    assert empty.manifest["note"].startswith("No rows: no submission matched")
    tree = grow()
    tree.sample(ids_of("not finished"))
    tree.submit()
    left_out = export_of(project, researcher)
    assert left_out.manifest is not None
    assert left_out.manifest["counts"]["excluded"] == {"unfinished": 1}
    assert "1 unfinished" in left_out.manifest["note"]
    assert not list(export_folder(left_out).glob("shard-*"))
    assert len(lines_of(export_of(project, researcher, finished="any"))) == 1


def test_only_accepted_work_counts_and_only_its_latest_submission(
    grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    project.settings = {"review": True}
    project.save()
    waiting, returned, accepted, twice = (answered(grow) for _ in range(4))
    for tree in (waiting, returned, accepted, twice):
        tree.submit(accept=False)
    for tree, kind, status in (
        (returned, Act.Kind.RETURN, Episode.Status.RETURNED),
        (accepted, Act.Kind.ACCEPT, Episode.Status.ACCEPTED),
        (twice, Act.Kind.RETURN, Episode.Status.RETURNED),
    ):
        tree.episode.status = status
        tree.act(kind)
    before = timezone.now()
    twice.submit(accept=False)
    twice.episode.status = Episode.Status.ACCEPTED
    twice.act(Act.Kind.ACCEPT)

    def found(**kwargs: Any) -> list[tuple[int, int]]:
        export = export_of(project, researcher, **kwargs)
        return [(row["episode"], row["submission"]) for row in lines_of(export)]

    assert found() == [(accepted.episode.pk, 1), (twice.episode.pk, 2)]
    assert found(watermark=before) == [(accepted.episode.pk, 1)]
    handed_in = [(tree.episode.pk, 1) for tree in (waiting, accepted)] + [(twice.episode.pk, 2)]
    assert found(query={"status": "submitted"}) == handed_in


def test_a_query_picks_by_task_metadata_and_time(
    grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    early = answered(grow, metadata={"language": "zh"})
    early.submit()
    middle = timezone.now().isoformat()
    late = answered(grow, metadata={"language": "en"})
    late.submit()

    def found(**query: Any) -> list[int]:
        return [row["episode"] for row in lines_of(export_of(project, researcher, query=query))]

    assert found(metadata={"language": "zh"}) == [early.episode.pk]
    assert found(tasks=[late.task.external_id]) == [late.episode.pk]
    assert found(policies=[late.policy.pk + 999]) == []
    assert found(since=middle) == [late.episode.pk]
    assert found(until=middle) == [early.episode.pk]


def test_work_after_the_watermark_is_not_in_a_row(
    grow: Callable[..., Tree], project: Project, researcher: User
) -> None:
    tree = answered(grow)
    tree.submit()
    first = export_of(project, researcher, "dpo")
    assert len(lines_of(first)) == 1
    tree.move(tree.root, tree.root.length)
    tree.sample([*ids_of("7"), EOS])
    again = export_of(project, researcher, "dpo", watermark=first.watermark)
    assert lines_of(again) == lines_of(first)
    assert len(lines_of(export_of(project, researcher, "dpo"))) == 2
