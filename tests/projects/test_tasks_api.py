"""/projects/{id}/tasks: one task, or many lines of which every good one is kept."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from stet.projects.models import Project, Task
from stet.projects.services import task_create
from tests.conftest import Client

ASK = {"messages": [{"role": "user", "content": "Name a river."}]}


def url(project: Project, query: str = "") -> str:
    return f"/api/v1/projects/{project.pk}/tasks{query}"


def bulk(client: Client, project: Project, lines: list[bytes], query: str = "") -> Any:
    body = b"\n".join(lines)
    return client.post(url(project, query), body, content_type="application/x-ndjson")


def row(name: str, text: str = "Name a river.", **more: Any) -> dict[str, Any]:
    return {"external_id": name, "messages": [{"role": "user", "content": text}], **more}


def test_one_task_comes_back_as_it_was_sent(as_researcher: Client, project: Project) -> None:
    sent = {
        "external_id": "r1",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "👨‍👩‍👧‍👦 修正 é שלום <|im_end|>", "name": "ann"},
        ],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "reference": {"answer": 4.5},
        "checks": [{"kind": "max_words", "n": 5}],
        "limits": {"max_tokens": 64},
        "metadata": {"title": "Family", "nested": [1, None, True]},
        "overlap": 2,
        "priority": -3,
    }
    made = as_researcher.post(url(project), sent, format="json")
    assert made.status_code == 201
    got = as_researcher.get(f"/api/v1/tasks/{made.json()['id']}").json()
    assert {name: got[name] for name in sent} == sent
    assert (got["frozen_at"], got["retired_at"]) == (None, None)


def test_the_same_row_again_is_the_same_task(as_researcher: Client, project: Project) -> None:
    first = as_researcher.post(url(project), ASK, format="json").json()
    reordered = {"priority": 0, "messages": [{"content": "Name a river.", "role": "user"}]}
    again = as_researcher.post(url(project), reordered, format="json").json()
    assert again["id"] == first["id"]
    assert first["external_id"].startswith("sha256:")


def test_a_name_with_other_content_is_refused_or_supersedes(
    as_researcher: Client, project: Project
) -> None:
    old = as_researcher.post(url(project), row("r", "one"), format="json").json()
    refused = as_researcher.post(url(project), row("r", "two"), format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "external_id_taken")
    new = as_researcher.post(
        url(project, "?on_conflict=supersede"), row("r", "two"), format="json"
    ).json()
    assert new["supersedes"] == old["id"]
    kept = as_researcher.get(f"/api/v1/tasks/{old['id']}").json()
    assert kept["messages"][0]["content"] == "one"
    assert kept["retired_at"] is not None


def test_a_frozen_task_is_superseded_and_never_edited(
    as_researcher: Client, project: Project, task: Task
) -> None:
    Task.objects.filter(pk=task.pk).update(frozen_at=timezone.now())
    changed = row(task.external_id, "Another question.")
    made = as_researcher.post(url(project, "?on_conflict=supersede"), changed, format="json")
    assert made.json()["id"] != task.pk
    before = task.messages
    task.refresh_from_db()
    assert task.messages == before
    assert task.retired_at is not None


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"messages": [1]}, "messages[0]"),
        ({"messages": [{"role": "boss", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0].content"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
        ({**ASK, "colour": 1}, "colour"),
        ({**ASK, "external_id": ""}, "external_id"),
        ({**ASK, "external_id": True}, "external_id"),
        ({**ASK, "external_id": "x" * 201}, "external_id"),
        ({**ASK, "overlap": 0}, "overlap"),
        ({**ASK, "overlap": True}, "overlap"),
        ({**ASK, "limits": {"max_tokens": 40_000}}, "limits"),
        ({**ASK, "limits": {"words": 1}}, "limits"),
        ({**ASK, "checks": [{"n": 1}]}, "checks"),
        ({**ASK, "tools": {}}, "tools"),
        ({**ASK, "metadata": []}, "metadata"),
        ({**ASK, "priority": 1.5}, "priority"),
    ],
)
def test_a_bad_row_names_its_field(
    as_researcher: Client, project: Project, bad: dict[str, Any], field: str
) -> None:
    answer = as_researcher.post(url(project), bad, format="json")
    assert answer.status_code == 422
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert not Task.objects.exists()


@pytest.mark.parametrize("body", [b"[]", b"3", b'"x"', b"null"])
def test_a_body_that_is_no_object_is_refused(
    as_researcher: Client, project: Project, body: bytes
) -> None:
    answer = as_researcher.post(url(project), body, content_type="application/json")
    assert answer.status_code == 422


def test_every_good_line_is_kept_and_every_bad_one_reported(
    as_researcher: Client, project: Project
) -> None:
    lines = [
        orjson.dumps(row("a")),
        b"{broken",
        b"",
        b'{"external_id": "n", "messages": [{"role": "user", "content": NaN}]}',
        b'{"external_id": "s", "messages": [{"role": "user", "content": "\\ud83d"}]}',
        b'{"external_id": "z", "messages": [{"role": "user", "content": "a\\u0000b"}]}',
        b'{"messages": "\xff"}',
        orjson.dumps(row("a")),
        orjson.dumps(row("a", "other")),
        b"[" * 200 + b"]" * 200,
        b'{"messages": [{"role": "user", "content": "x"}], "metadata": ' + b'{"a":' * 150 + b"1"
        b"}" * 151,
        b"   \t\r",
        orjson.dumps(row("b", "é甲𠮷")),
    ]
    answer = bulk(as_researcher, project, lines)
    assert answer.status_code == 200
    said = answer.json()
    counts = {name: said[name] for name in ("added", "same", "superseded", "failed")}
    assert counts == {"added": 2, "same": 1, "superseded": 0, "failed": 8}
    assert [error["line"] for error in said["errors"]] == [2, 4, 5, 6, 7, 9, 10, 11]
    assert all(error["detail"] for error in said["errors"])
    assert sorted(said["tasks"]) == ["1", "13", "8"]
    assert said["tasks"]["1"] == said["tasks"]["8"]
    assert set(Task.objects.values_list("external_id", flat=True)) == {"a", "b"}


def test_the_same_lines_twice_add_nothing(as_researcher: Client, project: Project) -> None:
    lines = [orjson.dumps(row(f"t{n}")) for n in range(20)] + [orjson.dumps(ASK)]
    assert bulk(as_researcher, project, lines).json()["added"] == 21
    again = bulk(as_researcher, project, lines).json()
    assert (again["added"], again["same"], again["failed"]) == (0, 21, 0)


def test_lines_may_supersede(as_researcher: Client, project: Project) -> None:
    bulk(as_researcher, project, [orjson.dumps(row("a", "one")), orjson.dumps(row("b"))])
    lines = [orjson.dumps(row("a", "two")), orjson.dumps(row("b"))]
    said = bulk(as_researcher, project, lines, "?on_conflict=supersede").json()
    assert (said["added"], said["same"], said["superseded"]) == (0, 1, 1)
    live = Task.objects.get(external_id="a", retired_at=None)
    assert live.messages[0]["content"] == "two"


def test_an_empty_body_says_so(as_researcher: Client, project: Project) -> None:
    answer = bulk(as_researcher, project, [b"", b"  "])
    assert (answer.status_code, answer.json()["code"]) == (422, "empty_file")


def test_a_row_of_five_megabytes_is_refused_by_number(
    as_researcher: Client, project: Project
) -> None:
    lines = [orjson.dumps(row("big", "x" * (5 * 2**20))), orjson.dumps(row("small"))]
    said = bulk(as_researcher, project, lines).json()
    assert (said["added"], said["failed"]) == (1, 1)
    assert said["errors"][0] | {"detail": ""} == {"line": 1, "code": "too_large", "detail": ""}


def test_a_prompt_of_one_megabyte_is_kept(as_researcher: Client, project: Project) -> None:
    assert (
        bulk(as_researcher, project, [orjson.dumps(row("mb", "修" * 350_000))]).json()["added"] == 1
    )


def test_a_body_beyond_the_limit_is_413(as_researcher: Client, project: Project) -> None:
    answer = bulk(as_researcher, project, [b" " * (16 * 2**20 + 1)])
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("role", ["annotator", "reviewer"])
def test_annotators_and_reviewers_add_nothing(
    role: str, request: pytest.FixtureRequest, project: Project
) -> None:
    client: Client = request.getfixturevalue(f"as_{role}")
    assert client.post(url(project), ASK, format="json").status_code == 403
    assert bulk(client, project, [orjson.dumps(ASK)]).status_code == 403
    assert not Task.objects.exists()


def test_annotators_do_not_browse_tasks(as_annotator: Client, project: Project, task: Task) -> None:
    assert as_annotator.get(url(project)).status_code == 403
    assert as_annotator.get(f"/api/v1/tasks/{task.pk}").status_code == 403


def test_a_stranger_gets_404(as_stranger: Client, project: Project, task: Task) -> None:
    assert as_stranger.get(url(project)).status_code == 404
    assert as_stranger.get(f"/api/v1/tasks/{task.pk}").status_code == 404
    assert as_stranger.post(url(project), ASK, format="json").status_code == 404
    assert bulk(as_stranger, project, [orjson.dumps(ASK)]).status_code == 404


def test_the_list_costs_two_queries_and_carries_no_messages(
    as_reviewer: Client, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        task_create(project=project, row=row(f"t{number}"))
    with django_assert_num_queries(2):
        listed = as_reviewer.get(url(project, "?limit=10")).json()
    assert len(listed["results"]) == 10
    assert "messages" not in listed["results"][0]
    rest = as_reviewer.get(listed["next"]).json()
    assert [each["external_id"] for each in rest["results"]] == ["t10", "t11"]
    assert rest["next"] is None


def test_an_unknown_media_type_is_415(as_researcher: Client, project: Project) -> None:
    answer = as_researcher.post(url(project), b"x", content_type="text/csv")
    assert answer.status_code == 415
