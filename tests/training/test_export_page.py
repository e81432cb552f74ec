"""The page of a project's exports: who sees it, and how an export is frozen from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stet.accounts.models import User
from stet.common.jobs import job_run
from stet.projects.models import Project
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import export_of
from training.documents import export_data
from training.models import Export

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def export(grow: Callable[..., Tree], project: Project, researcher: User) -> dict[str, Any]:
    tree = grow()
    tree.sample([*ids_of("5"), EOS])
    tree.submit()
    return export_data(export_of(project, researcher))


def test_the_page_freezes_an_export_and_shows_it(
    export: dict[str, Any], project: Project, researcher: User, client: Any
) -> None:
    client.force_login(researcher)
    page = f"/projects/{project.pk}/exports"
    assert client.get(page).status_code == 200
    assert client.post(page, {"target": "dpo"}).status_code == 302
    newest = Export.objects.latest("pk")
    assert (newest.target, newest.dataset.query) == ("dpo", {})
    waiting = client.get(f"/exports/{newest.pk}").content.decode()
    assert 'data-state="queued"' in waiting
    job_run(newest.job_id)
    shown = client.get(page).content.decode()
    assert export["manifest_url"] in shown
    assert client.post(page, {"target": "nothing"}).status_code == 404


def test_the_page_is_for_researchers(
    export: dict[str, Any], project: Project, annotator: User, stranger: User, client: Any
) -> None:
    page = f"/projects/{project.pk}/exports"
    assert client.get(page).status_code == 302
    for person, status in ((annotator, 403), (stranger, 404)):
        client.force_login(person)
        assert client.get(page).status_code == status
        assert client.get(f"/exports/{export['id']}").status_code == status
