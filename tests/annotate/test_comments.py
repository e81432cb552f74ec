"""Comments: anchored to a task, a step or tokens, with mentions, resolved and opened again."""

from __future__ import annotations

from typing import Any

import pytest

from annotate.models import Comment, CommentState
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project, Task
from stet.traces.models import Episode
from stet.traces.selectors import head_path
from tests.annotate.test_acts import episode as episode
from tests.conftest import Client, client_of, member
from tests.scripted.use import small_folder
from tests.traces.conftest import answer, ids_of

HARD = "👍🏿 甲𠮷乙 John 👨‍👩‍👧‍👦 修正 é e\u0301"


def say(client: Client, about: Episode, body: str = "Look here.", **more: Any) -> Any:
    content = {
        "task": about.task_id,
        "episode": about.pk,
        "anchor": {"level": "task"},
        "body": body,
        **more,
    }
    return client.act(f"/api/v1/projects/{about.task.project_id}/comments", content)


def seen(client: Client, episode: Episode, query: str = "") -> list[str]:
    got = client.get(f"/api/v1/projects/{episode.task.project_id}/comments{query}")
    assert got.status_code == 200
    return [row["body"] for row in got.data["results"]]


def test_a_comment_quotes_what_stands_there(as_annotator: Client, episode: Episode) -> None:
    answer(episode, ids_of(HARD))
    path = head_path(episode)
    start = path.tip.start
    tokenizer = load_tokenizer(small_folder())
    for begin in range(start, path.length):
        quote = tokenizer.text_of(path.ids[begin : begin + 2])
        anchor = {
            "level": "token",
            "segment": str(path.tip.segment.pk),
            "start": begin,
            "end": min(begin + 2, path.length),
            "quote": quote,
        }
        kept = say(as_annotator, episode, anchor=anchor)
        assert kept.status_code == 201, kept.data
        assert kept.data["anchor"] == anchor
        wrong = say(as_annotator, episode, anchor={**anchor, "quote": quote + "x"})
        assert (wrong.status_code, wrong.data["code"]) == (422, "quote_mismatch")
    whole = {"start": start, "end": path.length, "quote": HARD}
    anchor = {"level": "step", "segment": str(path.tip.segment.pk), **whole}
    assert say(as_annotator, episode, anchor=anchor).status_code == 201
    for change in ({"end": path.length + 1}, {"start": path.length}, {"start": 10**9}):
        refused = say(as_annotator, episode, anchor={**anchor, **change})
        assert refused.status_code == 422, change


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"body": " "}, 422),
        ({"anchor": {"level": "word"}}, 422),
        ({"anchor": {"level": "token", "start": 1, "end": 2}}, 422),
        ({"other": 1}, 422),
        ({"episode": 10**12}, 404),
        ({"task": 10**12}, 404),
        ({"task": 10**12, "episode": None}, 404),
        ({"parent": 10**12}, 404),
    ],
)
def test_what_cannot_be_said(
    as_annotator: Client, episode: Episode, more: dict[str, Any], status: int
) -> None:
    assert say(as_annotator, episode, **more).status_code == status
    assert not Comment.objects.exists()


def test_threads_are_resolved_and_opened_again(
    as_annotator: Client, as_reviewer: Client, episode: Episode
) -> None:
    first = say(as_reviewer, episode, "Is this a typo?").data
    reply = say(as_annotator, episode, "It is.", parent=first["id"])
    assert (reply.status_code, reply.data["parent"]) == (201, first["id"])
    deep = say(as_reviewer, episode, "Then mend it.", parent=reply.data["id"])
    assert deep.data["parent"] == first["id"]
    assert (first["can_resolve"], reply.data["can_resolve"]) == (True, False)
    route = f"/api/v1/comments/{first['id']}"
    for _ in range(2):
        done = as_annotator.act(f"{route}/resolve")
        assert done.data["resolved_by"]["name"] == "annotator"
    assert CommentState.objects.count() == 1
    assert as_annotator.act(f"/api/v1/comments/{reply.data['id']}/resolve").status_code == 422
    again = as_reviewer.act(f"{route}/reopen")
    assert (again.data["resolved_at"], again.data["resolved_by"]) == (None, None)
    other = say(as_reviewer, episode, "Elsewhere", parent=first["id"], episode=None)
    assert other.status_code == 422


def test_who_sees_what(
    as_annotator: Client,
    as_reviewer: Client,
    as_owner: Client,
    as_stranger: Client,
    project: Project,
    episode: Episode,
) -> None:
    other = client_of(member(project, "other", Role.ANNOTATOR))
    mine = say(as_annotator, episode, "Mine.").data["id"]
    say(as_reviewer, episode, "For all of us.", episode=None)
    assert seen(as_annotator, episode) == ["Mine."]
    assert seen(other, episode) == []
    assert seen(as_reviewer, episode) == seen(as_owner, episode) == ["Mine.", "For all of us."]
    assert seen(as_reviewer, episode, f"?episode={episode.pk}") == ["Mine."]
    assert seen(as_reviewer, episode, f"?task={episode.task_id}&limit=1") == ["Mine."]
    called = say(as_reviewer, episode, "@other, @annotator: look. me@other.org", parent=mine)
    assert [row["name"] for row in called.data["mentions"]] == ["annotator", "other"]
    assert seen(other, episode) == ["Mine.", "@other, @annotator: look. me@other.org"]
    route = f"/api/v1/comments/{mine}"
    assert other.act(f"{route}/resolve").status_code == 403
    assert say(other, episode, "I too.").status_code == 404
    assert say(other, episode, "I too.", episode=None).status_code == 404
    assert say(as_stranger, episode).status_code == 404
    assert as_stranger.act(f"{route}/resolve").status_code == 404
    bad = as_owner.get(f"/api/v1/projects/{project.pk}/comments?episode=x")
    assert bad.status_code == 422
    assert as_stranger.get(f"/api/v1/projects/{project.pk}/comments").status_code == 404


def test_my_mentions_unresolved_first(
    as_annotator: Client, as_reviewer: Client, annotator: User, episode: Episode
) -> None:
    for text in ("One @annotator", "Two @annotator.", "Three"):
        say(as_reviewer, episode, text)
    newest = Comment.objects.get(body="Two @annotator.")
    as_reviewer.act(f"/api/v1/comments/{newest.pk}/resolve")
    got = as_annotator.get("/api/v1/me/mentions").data["results"]
    assert [row["body"] for row in got] == ["One @annotator", "Two @annotator."]
    assert as_reviewer.get("/api/v1/me/mentions").data["results"] == []
    annotator.memberships.update(ended_at=newest.created_at)
    assert as_annotator.get("/api/v1/me/mentions").data["results"] == []


def test_a_segment_of_another_answer_is_not_there(
    as_annotator: Client, project: Project, tasks: list[Task], episode: Episode
) -> None:
    theirs = client_of(member(project, "other", Role.ANNOTATOR))
    got = theirs.act(f"/api/v1/projects/{project.pk}/next")
    away = Episode.objects.get(pk=got.data["episode"]["id"])
    hidden = answer(away, ids_of("Secret."))
    anchor = {"level": "token", "segment": str(hidden.pk), "start": 0, "end": 1, "quote": "x"}
    assert say(as_annotator, episode, anchor=anchor).status_code == 404


def test_my_work_shows_where_i_am_named_until_it_is_resolved(
    as_annotator: Client, as_reviewer: Client, annotator: User, episode: Episode
) -> None:
    said = say(as_reviewer, episode, "<b>Look</b>, @annotator.").data["id"]
    as_annotator.force_login(annotator)
    page = as_annotator.get("/work/").content.decode()
    assert "&lt;b&gt;Look&lt;/b&gt;, @annotator." in page
    assert f'href="/episodes/{episode.pk}/"' in page
    as_reviewer.act(f"/api/v1/comments/{said}/resolve")
    assert "@annotator" not in as_annotator.get("/work/").content.decode()
