"""A disk that refuses at any step leaves no file under a final name, and nothing is published."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from stet.accounts.models import User
from stet.common.jobs import Claim, Fenced, job_claim
from stet.common.models import Job
from stet.projects.models import Project
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import export_of, lines_of
from training import durable
from training.models import Export, ExportFile
from training.services import dataset_create, export_create, export_folder, export_write

pytestmark = pytest.mark.django_db


class Disk:
    """Counts every write, sync and rename of an export, and refuses the one asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[str] = []
        self.refuse = 0
        create, fsync, rename = durable.create, durable.fsync, os.rename

        def counted_create(path: Path) -> BinaryIO:
            self.step("create")
            return Counted(create(path), self)  # type: ignore[abstract]

        def counted_fsync(file: BinaryIO) -> None:
            self.step("fsync")
            fsync(file)

        def counted_rename(source: Any, target: Any) -> None:
            self.step(f"rename {Path(target).name}")
            rename(source, target)

        monkeypatch.setattr(durable, "create", counted_create)
        monkeypatch.setattr(durable, "fsync", counted_fsync)
        monkeypatch.setattr(durable.os, "rename", counted_rename)

    def step(self, what: str) -> None:
        self.steps.append(what)
        if len(self.steps) == self.refuse:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Counted(io.BufferedIOBase):
    """A file whose writes are counted, and written at once."""

    def __init__(self, file: BinaryIO, disk: Disk) -> None:
        self.file, self.disk = file, disk

    def write(self, data: Any) -> int:
        self.disk.step("write")
        return self.file.write(data)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.file.tell()

    def flush(self) -> None:
        if not self.file.closed:
            self.file.flush()

    def fileno(self) -> int:
        return self.file.fileno()

    def close(self) -> None:
        self.file.close()
        super().close()


def test_refusal_at_every_step(
    grow: Callable[..., Tree],
    project: Project,
    researcher: User,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.DATA_DIR = tmp_path
    tree = grow()
    tree.sample([*ids_of("5"), EOS])
    tree.submit()
    disk = Disk(monkeypatch)
    whole = export_of(project, researcher)
    steps = len(disk.steps)
    assert steps > 15
    assert {"write", "fsync", "create"} <= set(disk.steps)
    for k in range(1, steps + 1):
        disk.steps, disk.refuse = [], k
        export = export_of(project, researcher, watermark=whole.watermark)
        assert export.job is not None
        export.job.refresh_from_db()
        assert export.job.status == Job.Status.FAILED, disk.steps[-1]
        assert "No space left" in export.job.error
        assert (export.sha256, export.manifest) == ("", None)
        assert not ExportFile.objects.filter(export=export).exists()
        assert not export_folder(export).exists(), disk.steps[-1]
        assert [path.name for path in (tmp_path / "exports").iterdir()] == [str(whole.pk)]
    disk.steps, disk.refuse = [], 0
    assert export_of(project, researcher, watermark=whole.watermark).sha256 == whole.sha256


def begun(project: Project, researcher: User) -> tuple[Export, Claim]:
    dataset = dataset_create(project=project, user=researcher, name="all", query={})
    export = export_create(dataset=dataset, user=researcher, target="sft")
    assert export.job_id is not None
    claim = job_claim(export.job_id)
    assert claim is not None
    return export, claim


def test_a_worker_that_died_between_the_rename_and_the_commit_is_made_up_for(
    grow: Callable[..., Tree], project: Project, researcher: User, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    tree = grow()
    tree.sample([*ids_of("5"), EOS])
    tree.submit()
    export, claim = begun(project, researcher)
    (export_folder(export)).mkdir(parents=True)
    (export_folder(export) / "shard-00000.jsonl").write_text("half")
    (tmp_path / "exports" / f".{export.pk}.0").mkdir()
    told = export_write(claim, export)
    assert told["rows"] == len(lines_of(export)) == 1
    assert [path.name for path in (tmp_path / "exports").iterdir()] == [str(export.pk)]
    export.refresh_from_db()
    assert export_write(claim, export) == told


def test_a_worker_whose_job_was_taken_over_publishes_nothing(
    grow: Callable[..., Tree], project: Project, researcher: User, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    export, claim = begun(project, researcher)
    Job.objects.filter(pk=claim.job.pk).update(fence=claim.fence + 1)
    with pytest.raises(Fenced):
        export_write(claim, export)
    export.refresh_from_db()
    assert export.sha256 == ""
    assert not export_folder(export).exists()
