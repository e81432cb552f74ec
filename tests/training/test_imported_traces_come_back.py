"""Imported files leave as they came: panda documents whole, other traces as one version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site

from stet.accounts.models import User
from stet.projects.models import Project
from stet.traces.formats.base import Conversation
from stet.traces.formats.panda import parse_panda
from stet.traces.services.foreign import foreign_add
from tests.training.helpers import export_of, lines_of
from tests.training.panda_package import view

FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "panda"
NAMES = ["01_pick", "02_free_text", "04_multi_turn", "06_cjk_emoji"]
pytestmark = pytest.mark.django_db


def brought_in(project: Project, user: User, *items: Any) -> None:
    numbered = list(enumerate(items, 1))
    folder = Path(site.TOKENIZER_DIR)
    outcome = foreign_add(project=project, author=user, items=numbered, folder=folder)
    assert outcome.errors == []


@pytest.mark.skipif(not FIXTURES.exists(), reason="the shared panda fixtures are not here")
def test_panda_files_come_back_as_they_were(
    project: Project, researcher: User, policy: Any, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    raw = [json.loads((FIXTURES / f"{name}.panda.json").read_bytes()) for name in NAMES]
    brought_in(project, researcher, *map(parse_panda, raw))
    lines = lines_of(export_of(project, researcher, "panda"))
    assert lines == raw
    assert [view(line) for line in lines] == [view(document) for document in raw]


def test_foreign_traces_are_text_and_never_rollouts(
    project: Project, researcher: User, policy: Any, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    messages = [
        {"role": "user", "content": "What is 2+3?"},
        {"role": "assistant", "content": "It is 5."},
    ]
    brought_in(project, researcher, Conversation("trace-1", messages))
    (document,) = lines_of(export_of(project, researcher, "panda"))
    assert [dialog["messages"] for dialog in document["dialogs"].values()] == [messages]
    assert len(view(document)["legacy"]["sfts"]) == 1
    for target in ("sft", "dpo", "rollouts", "token-corrections"):
        export = export_of(project, researcher, target)
        assert export.manifest is not None
        assert export.manifest["counts"]["excluded"] == {"foreign": 1}


def test_in_a_project_with_review_an_imported_trace_waits_for_a_reviewer(
    project: Project, researcher: User, policy: Any, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    project.settings = {"review": True}
    project.save()
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    brought_in(project, researcher, Conversation("trace-1", messages))
    assert lines_of(export_of(project, researcher, "panda")) == []
    handed_in = export_of(project, researcher, "panda", query={"status": "submitted"})
    assert len(lines_of(handed_in)) == 1
