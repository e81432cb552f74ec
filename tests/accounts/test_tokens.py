"""/tokens: keys of programs, shown once, scoped, ending."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from stet.accounts.models import ApiToken, User
from stet.projects.models import Project
from tests.conftest import Client


def with_key(key: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    return client


def make(client: Client, **fields: object) -> dict[str, object]:
    answer = client.post("/api/v1/tokens", {"name": "trainer", **fields}, format="json")
    assert answer.status_code == 201, answer.json()
    made: dict[str, object] = answer.json()
    return made


def test_a_key_is_shown_once_and_kept_as_a_hash(as_owner: Client, project: Project) -> None:
    made = make(as_owner)
    key = str(made["key"])
    assert key not in str(ApiToken.objects.values())
    listed = as_owner.get("/api/v1/tokens").json()["results"]
    assert [row["name"] for row in listed] == ["trainer"]
    assert "key" not in listed[0]
    assert with_key(key).get(f"/api/v1/projects/{project.pk}").status_code == 200


def test_a_key_does_what_its_scopes_say(as_owner: Client) -> None:
    read = with_key(str(make(as_owner)["key"]))
    assert read.post("/api/v1/projects", {"name": "x"}, format="json").status_code == 403
    write = with_key(str(make(as_owner, scopes=["read", "write"])["key"]))
    assert write.post("/api/v1/projects", {"name": "x"}, format="json").status_code == 201


def test_a_revoked_or_ended_key_opens_nothing(as_owner: Client) -> None:
    first, second = make(as_owner), make(as_owner)
    assert as_owner.delete(f"/api/v1/tokens/{first['id']}").status_code == 204
    ApiToken.objects.filter(pk=second["id"]).update(expires_at=timezone.now() - timedelta(1))
    for made in (first, second):
        assert with_key(str(made["key"])).get("/api/v1/me").status_code == 401
    assert as_owner.delete(f"/api/v1/tokens/{first['id']}").status_code == 404


def test_a_token_makes_no_further_tokens(as_owner: Client) -> None:
    client = with_key(str(make(as_owner, scopes=["read", "write"])["key"]))
    assert client.post("/api/v1/tokens", {"name": "more"}, format="json").status_code == 403


@pytest.mark.parametrize(
    "fields", [{"scopes": []}, {"scopes": ["root"]}, {"days": 0}, {"days": 4000}, {"x": 1}]
)
def test_bad_fields_are_refused(as_owner: Client, fields: dict[str, object]) -> None:
    answer = as_owner.post("/api/v1/tokens", {"name": "t", **fields}, format="json")
    assert answer.status_code == 422


def test_a_stranger_gets_404(as_owner: Client, as_stranger: Client) -> None:
    made = make(as_owner)
    assert as_stranger.delete(f"/api/v1/tokens/{made['id']}").status_code == 404
    assert as_stranger.get("/api/v1/tokens").json()["results"] == []


@pytest.mark.parametrize("header", ["Token", "Token a b", "Token \u00e9", "Bearer x", "Token x"])
def test_a_bad_header_is_401(db: None, header: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header)
    assert client.get("/api/v1/me").status_code == 401


def test_who_one_is(as_owner: Client, owner: User) -> None:
    assert as_owner.get("/api/v1/me").json() == {
        "id": owner.pk,
        "username": "owner",
        "name": "owner",
        "language": "",
    }
    changed = as_owner.patch("/api/v1/me", {"language": "zh-hans"}, format="json")
    assert changed.json()["language"] == "zh-hans"
    assert as_owner.patch("/api/v1/me", {"language": "xx"}, format="json").status_code == 422
