"""/projects: made by anybody, read by members, changed by owners, by version."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from stet.accounts.models import User
from stet.projects.models import Project
from stet.projects.services import project_create
from tests.conftest import Client, client_of


def url(project: Project) -> str:
    return f"/api/v1/projects/{project.pk}"


def test_who_makes_a_project_owns_it(as_annotator: Client) -> None:
    made = as_annotator.post("/api/v1/projects", {"name": "Mine"}, format="json")
    assert made.status_code == 201
    assert made.json()["role"] == "owner"
    listed = as_annotator.get("/api/v1/projects").json()["results"]
    assert [(row["name"], row["role"]) for row in listed] == [
        ("Letters", "annotator"),
        ("Mine", "owner"),
    ]


def test_the_same_key_makes_one_project(as_owner: Client) -> None:
    first = as_owner.act("/api/v1/projects", {"name": "Once"}, key="k")
    again = as_owner.act("/api/v1/projects", {"name": "Once"}, key="k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    other = as_owner.act("/api/v1/projects", {"name": "Twice"}, key="k")
    assert other.status_code == 422
    assert other.json()["code"] == "idempotency_key_reused"
    assert Project.objects.filter(name="Once").count() == 1


def test_faults_are_listed_all_at_once(as_owner: Client) -> None:
    sent = {"name": "", "colour": "red", "settings": {"review": "maybe", "x": 1}}
    answer = as_owner.post("/api/v1/projects", sent, format="json")
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == "invalid"
    fields = {error["field"] for error in problem["errors"]}
    assert fields == {"name", "colour", "settings.review", "settings.x"}


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": NaN}',
        b'{"name": "\\ud83d"}',
        b"{",
        b"",
        b'"text"',
        b"[" * 300 + b"]" * 300,
        b'{"name": "a\\u0000b"}',
        b"\xff",
    ],
)
def test_bad_bodies_get_a_clear_4xx(as_owner: Client, body: bytes) -> None:
    answer = as_owner.post("/api/v1/projects", body, content_type="application/json")
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]


def test_a_stranger_gets_404(as_stranger: Client, project: Project) -> None:
    assert as_stranger.get(url(project)).status_code == 404
    change = as_stranger.patch(url(project), {"name": "x"}, format="json", HTTP_IF_MATCH='"1"')
    assert change.status_code == 404
    assert change.json()["code"] == "not_found"


def test_nobody_gets_401(project: Project) -> None:
    answer = Client().get(url(project))
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_authenticated"


def test_members_read_and_only_owners_change(
    as_annotator: Client, as_reviewer: Client, as_researcher: Client, project: Project
) -> None:
    for client in (as_annotator, as_reviewer, as_researcher):
        assert client.get(url(project)).json()["name"] == "Letters"
        answer = client.patch(url(project), {"name": "x"}, format="json", HTTP_IF_MATCH='"1"')
        assert answer.status_code == 403


def test_a_change_needs_the_version_that_was_seen(as_owner: Client, project: Project) -> None:
    etag = as_owner.get(url(project))["ETag"]
    assert as_owner.patch(url(project), {"name": "A"}, format="json").status_code == 428
    done = as_owner.patch(url(project), {"name": "A"}, format="json", HTTP_IF_MATCH=etag)
    assert (done.status_code, done.json()["name"], done["ETag"]) == (200, "A", '"2"')
    stale = as_owner.patch(url(project), {"name": "B"}, format="json", HTTP_IF_MATCH=etag)
    assert stale.status_code == 412
    assert stale.json()["current"] == {"version": 2}
    odd = as_owner.patch(url(project), {"name": "B"}, format="json", HTTP_IF_MATCH="*")
    assert odd.status_code == 422
    assert as_owner.get(url(project)).json()["name"] == "A"


def test_switches_are_merged_one_by_one(as_owner: Client, project: Project) -> None:
    for version, change in enumerate([{"review": True}, {"sampling": {"temperature": 0.7}}], 1):
        sent = {"settings": change}
        done = as_owner.patch(url(project), sent, format="json", HTTP_IF_MATCH=f'"{version}"')
        assert done.status_code == 200
    assert as_owner.get(url(project)).json()["settings"] == {
        "review": True,
        "heat": False,
        "sampling": {"temperature": 0.7},
        "reasons": [],
        "lookahead": True,
        "jump": True,
        "gold_share": 0.0,
        "skips_to_flag": 3,
    }


def test_an_archived_project_is_gone_for_everybody(as_owner: Client, project: Project) -> None:
    done = as_owner.patch(url(project), {"archived": True}, format="json", HTTP_IF_MATCH='"1"')
    assert done.status_code == 200
    assert as_owner.get(url(project)).status_code == 404


def test_lists_come_in_pages_that_leave_nothing_out(owner: User) -> None:
    for number in range(7):
        project_create(user=owner, name=f"P{number}")
    client = client_of(owner)
    names, address = [], "/api/v1/projects?limit=3"
    while address:
        answer = client.get(address).json()
        names += [row["name"] for row in answer["results"]]
        address = answer["next"]
    assert names == [f"P{number}" for number in range(7)]


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "limit=201", "limit=²", "cursor=!", "cursor=YQ", "cursor=%00"]
)
def test_a_bad_page_is_refused(as_owner: Client, query: str) -> None:
    assert as_owner.get(f"/api/v1/projects?{query}").status_code == 422


def test_the_list_costs_one_query_whatever_its_length(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        project_create(user=owner, name=f"P{number}")
    with django_assert_num_queries(1):
        assert len(client_of(owner).get("/api/v1/projects").json()["results"]) == 30
