"""/projects/{id}/guidelines: each change is a further version."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from stet.projects.models import Guideline, Project
from tests.conftest import Client


def url(project: Project) -> str:
    return f"/api/v1/projects/{project.pk}/guidelines"


def test_versions_are_added_and_older_ones_stay(as_owner: Client, project: Project) -> None:
    for text in ("First.", "  second, spaces kept\n"):
        assert as_owner.post(url(project), {"text": text}, format="json").status_code == 201
    rows = as_owner.get(url(project)).json()["results"]
    assert [(row["version"], row["text"]) for row in rows] == [
        (2, "  second, spaces kept\n"),
        (1, "First."),
    ]


def test_a_version_cannot_be_rewritten(as_owner: Client, project: Project) -> None:
    as_owner.post(url(project), {"text": "First."}, format="json")
    with pytest.raises(TypeError):
        Guideline.objects.update(text="other")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE projects_guideline SET text = 'other'")


@pytest.mark.parametrize("role", ["annotator", "reviewer", "researcher"])
def test_only_owners_write(role: str, request: pytest.FixtureRequest, project: Project) -> None:
    client: Client = request.getfixturevalue(f"as_{role}")
    assert client.get(url(project)).status_code == 200
    assert client.post(url(project), {"text": "x"}, format="json").status_code == 403


def test_a_stranger_gets_404(as_stranger: Client, project: Project) -> None:
    assert as_stranger.get(url(project)).status_code == 404
    assert as_stranger.post(url(project), {"text": "x"}, format="json").status_code == 404
