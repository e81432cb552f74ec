"""TRL takes `sft` and `dpo` exports as they are, and puts loss on the intended tokens alone."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site

from stet.accounts.models import User
from stet.projects.models import Project
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import export_of, lines_of
from training.models import Export
from training.services import export_folder

pytest.importorskip("trl", reason="the extra `train` is not installed")
pytestmark = pytest.mark.django_db


def trees(grow: Callable[..., Tree]) -> None:
    """A one-token answer, a longer typed one, and a second turn corrected in its midst."""
    tree = grow()
    wrong = tree.sample([*ids_of("6"), EOS])
    tree.correct(wrong, 0, ids_of("5"))
    tree.sample([EOS])
    tree.submit()
    tree = grow("哪一座是法国的首都？")
    wrong = tree.sample([*ids_of("是里昂。"), EOS])
    tree.correct(wrong, 1, ids_of("巴黎 🗼"), how="type")
    tree.sample([*ids_of("。"), EOS])
    tree.submit()
    tree = grow("Name a colour.")
    tree.sample([*ids_of("Red."), EOS])
    tree.turn("Another one, please.")
    wrong = tree.sample([*ids_of("Red is a colour."), EOS])
    tree.correct(wrong, 0, ids_of("Blue"))
    tree.sample(ids_of(" is one"))
    tree.sample([*ids_of(", too."), EOS])
    tree.submit()


@pytest.fixture
def run(
    grow: Callable[..., Tree], project: Project, researcher: User, tmp_path: Path, settings: Any
) -> Callable[[str], tuple[Export, dict[str, Any]]]:
    settings.DATA_DIR = tmp_path / "data"
    trees(grow)

    def steps(kind: str) -> tuple[Export, dict[str, Any]]:
        export = export_of(project, researcher, kind)
        shard = export_folder(export) / "shard-00000.jsonl"
        out = tmp_path / "told.json"
        script = Path(__file__).with_name("trl_steps.py")
        done = subprocess.run(
            [sys.executable, script, kind, shard, site.TOKENIZER_DIR, out],
            env={
                **os.environ,
                "HF_HOME": str(tmp_path / "hf"),
                "HF_HUB_OFFLINE": "1",
                "OMP_NUM_THREADS": "1",
                "CUDA_VISIBLE_DEVICES": "",
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return export, json.loads(out.read_text())

    return steps


def seen(told: dict[str, Any]) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    assert told["steps"] == 3
    assert len(told["losses"]) == 3
    assert all(math.isfinite(loss) and loss > 0 for loss in told["losses"])
    assert all(row["beyond"] == [0] for row in told["trained"])
    return {(tuple(row["ids"]), tuple(row["trained"])) for row in told["trained"]}


def test_sft(run: Callable[[str], tuple[Export, dict[str, Any]]]) -> None:
    export, told = run("sft")
    meant = {
        (tuple(row["input_ids"]), tuple(label for label in row["labels"] if label != -100))
        for row in lines_of(export)
    }
    assert len(meant) == 3
    assert seen(told) == meant
    assert (*ids_of("5"), EOS) in {trained for _, trained in meant}


def test_dpo(run: Callable[[str], tuple[Export, dict[str, Any]]]) -> None:
    export, told = run("dpo")
    meant = {
        (tuple(row["prompt_ids"] + row[side]), tuple(row[side]))
        for row in lines_of(export)
        for side in ("chosen_ids", "rejected_ids")
    }
    assert len(meant) == 6
    assert seen(told) == meant
    assert ((*ids_of("5"), EOS)) in {trained for _, trained in meant}
    assert ((*ids_of("6"), EOS)) in {trained for _, trained in meant}
