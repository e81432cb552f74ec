"""/projects/{id}/members: owners let people in and out; a project keeps an owner."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.models import Membership, Project
from tests.conftest import Client, member


def url(project: Project, user: User | None = None) -> str:
    return f"/api/v1/projects/{project.pk}/members" + (f"/{user.pk}" if user else "")


def test_an_owner_lets_a_person_in(as_owner: Client, project: Project, stranger: User) -> None:
    sent = {"username": "stranger", "role": "annotator"}
    assert as_owner.post(url(project), sent, format="json").status_code == 201
    again = as_owner.post(url(project), sent, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "already_member")
    people = as_owner.get(url(project)).json()["results"]
    assert {row["user"]["username"]: row["role"] for row in people} == {
        "owner": "owner",
        "stranger": "annotator",
    }


def test_nobody_of_that_name_is_said(as_owner: Client, project: Project) -> None:
    answer = as_owner.post(url(project), {"username": "x", "role": "owner"}, format="json")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "username"


def test_another_role_keeps_the_row_of_the_old_one(
    as_owner: Client, project: Project, annotator: User
) -> None:
    done = as_owner.patch(url(project, annotator), {"role": "reviewer"}, format="json")
    assert done.json()["role"] == "reviewer"
    rows = Membership.objects.filter(project=project, user=annotator).order_by("pk")
    assert [(row.role, row.ended_at is None) for row in rows] == [
        ("annotator", False),
        ("reviewer", True),
    ]


def test_a_member_who_left_is_out_at_once(
    as_owner: Client, as_annotator: Client, project: Project, annotator: User
) -> None:
    assert as_owner.delete(url(project, annotator)).status_code == 204
    assert as_annotator.get(f"/api/v1/projects/{project.pk}").status_code == 404
    assert as_owner.delete(url(project, annotator)).status_code == 404


def test_the_last_owner_cannot_leave(as_owner: Client, project: Project, owner: User) -> None:
    gone = as_owner.delete(url(project, owner))
    assert (gone.status_code, gone.json()["code"]) == (409, "last_owner")
    lower = as_owner.patch(url(project, owner), {"role": "reviewer"}, format="json")
    assert lower.status_code == 409
    second = member(project, "second", Role.OWNER)
    assert as_owner.delete(url(project, second)).status_code == 204
    assert as_owner.delete(url(project, owner)).status_code == 409


@pytest.mark.parametrize("role", ["annotator", "reviewer", "researcher"])
def test_only_owners_change_members(
    role: str, request: pytest.FixtureRequest, project: Project, owner: User
) -> None:
    client: Client = request.getfixturevalue(f"as_{role}")
    assert client.get(url(project)).status_code == 200
    sent = {"username": "owner", "role": "annotator"}
    assert client.post(url(project), sent, format="json").status_code == 403
    assert client.patch(url(project, owner), {"role": "reviewer"}, format="json").status_code == 403
    assert client.delete(url(project, owner)).status_code == 403


def test_a_stranger_gets_404(as_stranger: Client, project: Project, owner: User) -> None:
    assert as_stranger.get(url(project)).status_code == 404
    sent = {"username": "stranger", "role": "owner"}
    assert as_stranger.post(url(project), sent, format="json").status_code == 404
    assert as_stranger.delete(url(project, owner)).status_code == 404


def test_the_list_costs_two_queries(
    as_owner: Client, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        member(project, f"person-{number}", Role.ANNOTATOR)
    with django_assert_num_queries(2):
        assert len(as_owner.get(url(project)).json()["results"]) == 21
