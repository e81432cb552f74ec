"""The settings page: owners change members and write guidelines."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from stet.accounts.models import User
from stet.projects.models import Guideline, Membership, Project


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def save(client: Client, project: Project, **fields: str) -> Any:
    return client.post(f"/projects/{project.pk}/settings/member/", fields)


def roles(project: Project) -> dict[str, str]:
    live = Membership.objects.filter(project=project, ended_at=None)
    return dict(live.values_list("user__username", "role"))


def test_an_owner_changes_members(project: Project, owner: User, stranger: User) -> None:
    client = signed_in(owner)
    assert save(client, project, username="stranger", role="annotator").status_code == 302
    assert save(client, project, username="stranger", role="reviewer").status_code == 302
    assert roles(project) == {"owner": "owner", "stranger": "reviewer"}
    assert "stranger" in client.get(f"/projects/{project.pk}/settings/").text
    assert save(client, project, username="stranger", role="").status_code == 302
    assert roles(project) == {"owner": "owner"}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"username": "nobody", "role": "owner"}, 422),
        ({"username": "a\x00b", "role": "owner"}, 422),
        ({"username": "owner", "role": "king"}, 422),
        ({"username": "owner", "role": ""}, 409),
        ({"username": "owner", "role": "reviewer"}, 409),
        ({}, 422),
    ],
)
def test_what_cannot_be_is_said(
    project: Project, owner: User, fields: dict[str, str], status: int
) -> None:
    page = save(signed_in(owner), project, **fields)
    assert page.status_code == status
    assert 'role="alert"' in page.text
    assert roles(project) == {"owner": "owner"}


def test_an_owner_writes_the_guideline(project: Project, owner: User) -> None:
    client = signed_in(owner)
    address = f"/projects/{project.pk}/settings/guideline/"
    assert client.post(address, {"text": "# One"}).status_code == 302
    assert client.post(address, {"text": "# Two"}).status_code == 302
    assert client.post(address, {"text": "  "}).status_code == 422
    assert client.post(address, {"text": "x" * 100_001}).status_code == 422
    assert list(Guideline.objects.values_list("version", "text")) == [(1, "# One"), (2, "# Two")]
    assert "# Two" in client.get(f"/projects/{project.pk}/settings/").text


def test_only_owners_get_in(project: Project, researcher: User, stranger: User) -> None:
    for user, status in ((researcher, 403), (stranger, 404)):
        client = signed_in(user)
        assert client.get(f"/projects/{project.pk}/settings/").status_code == status
        assert save(client, project, username="stranger", role="owner").status_code == status
        address = f"/projects/{project.pk}/settings/guideline/"
        assert client.post(address, {"text": "x"}).status_code == status
    assert "/settings/" not in signed_in(researcher).get(f"/projects/{project.pk}/").text
