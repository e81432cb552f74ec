"""A submission records the guideline that was shown, also where a newer one came meanwhile."""

from __future__ import annotations

import pytest

from annotate.models import Submission
from stet.accounts.models import User
from stet.projects.models import Project
from stet.projects.services import guideline_create
from stet.traces.models import Episode
from tests.annotate.test_acts import do
from tests.annotate.test_acts import episode as episode
from tests.conftest import Client


@pytest.fixture(autouse=True)
def guidelines(project: Project, owner: User) -> None:
    for text in ("Be brief.", "Be exact."):
        guideline_create(project=project, user=owner, text=text)


@pytest.mark.parametrize(("body", "version"), [({"guideline": 1}, 1), ({}, 2)])
def test_the_version_that_was_shown_is_recorded(
    as_annotator: Client, episode: Episode, body: dict[str, int], version: int
) -> None:
    assert do(as_annotator, episode, "submit", **body).status_code == 200
    recorded = Submission.objects.get(episode=episode).guideline
    assert recorded is not None
    assert recorded.version == version


@pytest.mark.parametrize("version", [3, 2**31 - 1, 0, -1, "x", None])
def test_a_version_that_there_never_was_is_refused(
    as_annotator: Client, episode: Episode, version: object
) -> None:
    refused = do(as_annotator, episode, "submit", guideline=version)
    assert refused.status_code in {400, 422}
    assert not Submission.objects.exists()
