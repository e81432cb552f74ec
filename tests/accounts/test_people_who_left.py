"""Who leaves is deactivated: no door opens any more, and the work keeps its author."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.db.models import ProtectedError
from django.test import Client

from stet.accounts.models import User
from stet.accounts.services import token_create
from stet.projects.models import Project
from stet.traces.models import Episode
from tests.accounts.test_tokens import with_key
from tests.conftest import Client as Person
from tests.traces.conftest import episode as episode
from tests.traces.conftest import policy as policy
from tests.traces.conftest import segment as segment


def test_an_author_cannot_be_deleted(episode: Episode) -> None:
    with pytest.raises(ProtectedError), transaction.atomic():
        episode.author.delete()
    assert User.objects.filter(pk=episode.author_id).exists()


def test_whoever_is_deactivated_is_out_at_once_and_the_work_stays(
    episode: Episode, as_owner: Person, project: Project, owner: User
) -> None:
    author = episode.author
    key = token_create(user=author, name="laptop")[1]
    open_tab = Client()
    open_tab.force_login(author)
    assert open_tab.get("/work/").status_code == 200
    author.is_active = False
    author.save(update_fields=["is_active"])
    assert open_tab.get("/work/").status_code == 302
    assert with_key(key).get("/api/v1/me").status_code == 401
    shown = as_owner.get(f"/api/v1/episodes/{episode.pk}")
    assert shown.status_code == 200
    page = Client()
    page.force_login(owner)
    assert author.username in page.get(f"/projects/{project.pk}/").text
