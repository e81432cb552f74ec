"""Drafts: two tabs never overwrite one another, and time is added once."""

from __future__ import annotations

from typing import Any

import pytest

from annotate.models import Draft, Submission
from stet.projects.models import Project
from stet.traces.models import Episode
from tests.annotate.test_acts import do
from tests.annotate.test_acts import episode as episode
from tests.annotate.test_questions import NOTE, STARS, ask
from tests.conftest import Client


def save(client: Client, episode: Episode, version: int | None, **body: Any) -> Any:
    extra = {} if version is None else {"HTTP_IF_MATCH": f'"{version}"'}
    return client.put(
        f"/api/v1/episodes/{episode.pk}/draft", {"answers": {}, **body}, format="json", **extra
    )


def draft(client: Client, episode: Episode) -> Any:
    return client.get(f"/api/v1/episodes/{episode.pk}/draft")


@pytest.fixture(autouse=True)
def questions(as_owner: Client, project: Project) -> None:
    ask(as_owner, project, STARS, NOTE)


def test_there_is_always_a_draft(as_annotator: Client, episode: Episode) -> None:
    got = draft(as_annotator, episode)
    empty = {"version": 0, "answers": {}, "active_ms": 0, "idle_ms": 0, "updated_at": None}
    assert (got.data, got.headers["ETag"]) == (empty, '"0"')
    saved = save(as_annotator, episode, 0, answers={"note": "Half a wor", "stars": 3})
    assert (saved.status_code, saved.content, saved.headers["ETag"]) == (204, b"", '"1"')
    again = draft(as_annotator, episode)
    assert again.data["answers"] == {"note": "Half a wor", "stars": 3}
    assert again.data["updated_at"] is not None


def test_two_tabs_on_one_task(as_annotator: Client, episode: Episode) -> None:
    for version in range(2):
        save(as_annotator, episode, version, answers={"note": f"v{version + 1}"})
    done = do(as_annotator, episode, "submit", answers={"note": "v3"})
    assert done.status_code == 200
    stale = save(as_annotator, episode, 2, answers={"note": "late"}, active_ms=60_000)
    assert (stale.status_code, stale.data["code"]) == (412, "stale_draft")
    assert stale.data["current"]["answers"] == {"note": "v3"}
    assert stale.data["current"]["version"] == 3
    assert draft(as_annotator, episode).data["answers"] == {"note": "v3"}
    assert draft(as_annotator, episode).data["active_ms"] == 0
    closed = save(as_annotator, episode, 3, answers={"note": "late"})
    assert (closed.status_code, closed.data["code"]) == (409, "not_open")
    do(as_annotator, episode, "reopen")
    assert save(as_annotator, episode, 3, answers={"note": "v4"}).status_code == 204
    assert Submission.objects.get().answers == {"note": "v3"}


def test_time_is_what_went_by_since_the_last_report(as_annotator: Client, episode: Episode) -> None:
    save(as_annotator, episode, 0, active_ms=60_000, idle_ms=8 * 3_600_000)
    save(as_annotator, episode, 0, active_ms=60_000)
    save(as_annotator, episode, 1, active_ms=30_000)
    assert draft(as_annotator, episode).data["active_ms"] == 90_000
    body = {"if_head": 0, "answers": {}, "idle_ms": 500}
    for _ in range(2):
        done = as_annotator.act(f"/api/v1/episodes/{episode.pk}/submit", body, key="once")
        assert done.status_code == 200
    row = Submission.objects.get()
    assert (row.active_ms, row.idle_ms) == (90_000, 8 * 3_600_000 + 500)


@pytest.mark.parametrize(
    ("version", "body", "status"),
    [
        (None, {}, 428),
        (0, {"answers": {"nobody": 1}}, 422),
        (0, {"answers": {"note": {"deep": 1}}}, 422),
        (0, {"answers": {"note": "x" * 30_000}}, 422),
        (0, {"active_ms": -1}, 422),
        (0, {"active_ms": 10**12}, 422),
        (0, {"other": 1}, 422),
        (7, {}, 412),
    ],
)
def test_what_is_no_draft_changes_nothing(
    as_annotator: Client, episode: Episode, version: int | None, body: Any, status: int
) -> None:
    assert save(as_annotator, episode, version, **body).status_code == status
    assert not Draft.objects.exists()


def test_only_the_author_writes_and_strangers_see_nothing(
    as_reviewer: Client, as_stranger: Client, as_owner: Client, episode: Episode
) -> None:
    for client, status in ((as_reviewer, 200), (as_owner, 200), (as_stranger, 404)):
        assert draft(client, episode).status_code == status
        assert save(client, episode, 0).status_code == 404
