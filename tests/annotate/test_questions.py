"""Questions beside the corrections: their versions, what clashes, and answers at submit."""

from __future__ import annotations

from typing import Any

import pytest

from annotate.models import Question, Submission
from stet.projects.models import Project
from stet.stack.messages import compile_messages
from stet.traces.models import Episode
from tests.annotate.test_acts import do
from tests.annotate.test_acts import episode as episode
from tests.conftest import Client

TONE: dict[str, Any] = {
    "key": "tone",
    "kind": "single",
    "label": "Tone",
    "options": [{"value": "good", "label": "Good"}, {"value": "bad", "label": "Bad"}],
    "required": True,
    "hotkey": "t",
}
WHY: dict[str, Any] = {
    "key": "why",
    "kind": "multiple",
    "label": "Why",
    "options": [{"value": "rude", "label": "Rude"}, {"value": "dull", "label": "Dull"}],
    "required": True,
    "condition": {"question": "tone", "equals": "bad"},
}
STARS: dict[str, Any] = {"key": "stars", "kind": "scale", "label": "Stars", "min": 1, "max": 5}
NOTE: dict[str, Any] = {"key": "note", "kind": "text", "label": "Note"}


def ask(client: Client, project: Project, *questions: dict[str, Any]) -> Any:
    for question in questions:
        made = client.act(f"/api/v1/projects/{project.pk}/questions", question)
    return made


def asked(client: Client, project: Project) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.get(f"/api/v1/projects/{project.pk}/questions").data[
        "results"
    ]
    return rows


def test_a_change_is_a_further_version_and_a_retired_one_is_not_listed(
    as_owner: Client, as_annotator: Client, project: Project
) -> None:
    made = ask(as_owner, project, TONE, STARS, {**TONE, "label": "The tone"})
    assert made.status_code == 201, made.data
    rows = asked(as_annotator, project)
    assert [(row["key"], row["version"], row["label"]) for row in rows] == [
        ("tone", 2, "The tone"),
        ("stars", 1, "Stars"),
    ]
    assert rows[1]["options"] == []
    assert (rows[1]["min"], rows[1]["hotkey"]) == (1, None)
    gone = as_owner.act(f"/api/v1/questions/{rows[0]['id']}/retire")
    assert gone.status_code == 200
    assert [row["key"] for row in asked(as_annotator, project)] == ["stars"]
    assert Question.objects.filter(key="tone").count() == 3
    ask(as_owner, project, TONE)
    assert [row["version"] for row in asked(as_owner, project)] == [1, 4]


def test_a_key_that_has_a_meaning_is_refused_with_the_name_of_the_clash(
    as_owner: Client, project: Project
) -> None:
    twenty = [{"value": f"v{n}", "label": f"Label {n}"} for n in range(20)]
    refused = ask(as_owner, project, {**TONE, "options": twenty, "hotkey": "?"})
    assert (refused.status_code, refused.data["code"]) == (422, "hotkey_taken")
    assert "Show the keys" in refused.data["detail"]
    ask(as_owner, project, TONE)
    clash = ask(as_owner, project, {**NOTE, "hotkey": "T"})
    assert (clash.data["code"], clash.data["clash"]) == ("hotkey_taken", "Tone")
    compile_messages()
    chinese = as_owner.act(
        f"/api/v1/projects/{project.pk}/questions",
        {**NOTE, "hotkey": "u"},
        HTTP_ACCEPT_LANGUAGE="zh-hans",
    )
    assert chinese.status_code == 422
    assert "Undo" not in chinese.data["clash"]
    assert [row["key"] for row in asked(as_owner, project)] == ["tone"]


@pytest.mark.parametrize(
    "change",
    [
        {"key": "Tone!"},
        {"kind": "range"},
        {"options": [{"value": "good", "label": "Good"}]},
        {"options": [{"value": "x", "label": "A"}, {"value": "x", "label": "B"}]},
        {"condition": {"question": "tone", "equals": "good"}},
        {"condition": {"question": "nobody", "equals": "good"}},
        {"condition": {"question": "stars", "equals": 9}},
        {"condition": {"question": "note", "equals": "x"}},
        {"condition": {"question": "stars", "equals": []}},
        {"unknown": 1},
        {"hotkey": "ab"},
        {"label": ""},
    ],
)
def test_what_cannot_be_asked_is_refused(
    as_owner: Client, project: Project, change: dict[str, Any]
) -> None:
    ask(as_owner, project, STARS, NOTE)
    assert ask(as_owner, project, {**TONE, **change}).status_code == 422
    assert len(asked(as_owner, project)) == 2


def test_scales_that_are_none_and_circles_are_refused(as_owner: Client, project: Project) -> None:
    for change in ({"min": 5}, {"max": None}, {"min": -100, "max": 100}):
        assert ask(as_owner, project, {**STARS, **change}).status_code == 422
    ask(as_owner, project, TONE, WHY)
    circle = {**TONE, "condition": {"question": "why", "equals": "rude"}}
    assert ask(as_owner, project, circle).status_code == 422


def test_what_another_question_depends_on_stays(as_owner: Client, project: Project) -> None:
    ask(as_owner, project, TONE, WHY)
    tone = asked(as_owner, project)[0]["id"]
    kept = as_owner.act(f"/api/v1/questions/{tone}/retire")
    assert (kept.status_code, kept.data["code"]) == (409, "condition_depends")
    options = [{"value": "good", "label": "Good"}, {"value": "fair", "label": "Fair"}]
    without = ask(as_owner, project, {**TONE, "options": options})
    assert (without.status_code, without.data["code"]) == (409, "condition_depends")


def test_roles(
    as_annotator: Client,
    as_reviewer: Client,
    as_researcher: Client,
    as_owner: Client,
    as_stranger: Client,
    project: Project,
) -> None:
    ask(as_owner, project, TONE)
    route = f"/api/v1/projects/{project.pk}/questions"
    retire = f"/api/v1/questions/{Question.objects.get().pk}/retire"
    for client in (as_annotator, as_reviewer, as_researcher):
        assert client.get(route).status_code == 200
        assert client.act(route, STARS).status_code == 403
        assert client.act(retire).status_code == 403
    assert as_stranger.get(route).status_code == 404
    assert as_stranger.act(route, STARS).status_code == 404
    assert as_stranger.act(retire).status_code == 404
    assert as_owner.act("/api/v1/questions/99999999/retire").status_code == 404


def test_answers_are_checked_and_kept_with_the_versions_of_their_questions(
    as_owner: Client, as_annotator: Client, project: Project, episode: Episode
) -> None:
    ask(as_owner, project, TONE, WHY, STARS, NOTE, {**STARS, "max": 7})
    missing = do(as_annotator, episode, "submit")
    assert (missing.status_code, missing.data["code"]) == (422, "answers_missing")
    assert [error["field"] for error in missing.data["errors"]] == ["tone"]
    hidden = do(as_annotator, episode, "submit", answers={"tone": "bad"})
    assert [error["field"] for error in hidden.data["errors"]] == ["why"]
    bad: list[dict[str, Any]] = [
        {"tone": "fine"},
        {"tone": ["good"]},
        {"tone": True},
        {"tone": "good", "stars": 8},
        {"tone": "good", "stars": "3"},
        {"tone": "good", "stars": True},
        {"tone": "bad", "why": ["rude", "rude"]},
        {"tone": "bad", "why": "rude"},
        {"tone": "good", "note": 3},
        {"tone": "good", "nobody": 1},
    ]
    for answers in bad:
        refused = do(as_annotator, episode, "submit", answers=answers)
        assert (refused.status_code, refused.data["code"]) == (422, "bad_answers"), answers
    assert not Submission.objects.exists()
    given = {"tone": "good", "why": ["rude"], "stars": 7, "note": "  "}
    done = do(as_annotator, episode, "submit", answers=given)
    assert done.status_code == 200, done.data
    row = Submission.objects.get()
    assert row.answers == {"tone": "good", "stars": 7}
    assert row.questions == {"tone": 1, "why": 1, "stars": 2, "note": 1}


def test_a_condition_on_several_values_and_on_a_choice_of_many(
    as_owner: Client, as_annotator: Client, project: Project, episode: Episode
) -> None:
    deep = {**NOTE, "required": True, "condition": {"question": "why", "equals": ["dull", "rude"]}}
    ask(as_owner, project, TONE, WHY, deep)
    given: dict[str, Any] = {"tone": "bad", "why": ["dull"]}
    asked_for = do(as_annotator, episode, "submit", answers=given)
    assert [error["field"] for error in asked_for.data["errors"]] == ["note"]
    assert do(as_annotator, episode, "submit", answers={**given, "tone": "good"}).status_code == 200
