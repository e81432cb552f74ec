"""How an episode ends: handed in, set aside, reviewed, opened again."""

from __future__ import annotations

from typing import Any

import pytest

from annotate.models import Lease, Submission
from stet.projects.models import Project, Task
from stet.traces.models import Act, Episode
from tests.conftest import Client
from tests.traces.conftest import answer, generation_at, ids_of


@pytest.fixture
def episode(as_annotator: Client, project: Project, tasks: list[Task]) -> Episode:
    got = as_annotator.act(f"/api/v1/projects/{project.pk}/next")
    episode = Episode.objects.get(pk=got.data["episode"]["id"])
    answer(episode, ids_of("Rain on the roof."))
    return episode


def do(client: Client, episode: Episode, act: str, **body: Any) -> Any:
    episode.refresh_from_db()
    body = {"if_head": episode.version, **body}
    return client.act(f"/api/v1/episodes/{episode.pk}/{act}", body)


def test_without_review_a_submission_is_accepted_at_once(
    as_annotator: Client, episode: Episode
) -> None:
    done = do(as_annotator, episode, "submit", active_ms=900)
    assert done.data["episode"]["status"] == "accepted"
    row = Submission.objects.get()
    assert (row.n, row.answers, row.active_ms) == (1, {}, 900)
    assert row.head_segment_id == episode.head_segment_id
    assert row.head_length == row.head_segment.length
    assert Lease.objects.filter(released_at=None).count() == 0


def test_a_second_submission_is_a_second_row(as_annotator: Client, episode: Episode) -> None:
    do(as_annotator, episode, "submit")
    assert do(as_annotator, episode, "reopen").data["episode"]["status"] == "open"
    do(as_annotator, episode, "submit")
    assert list(Submission.objects.order_by("n").values_list("n", flat=True)) == [1, 2]


def test_a_bare_prompt_and_a_running_answer_are_not_handed_in(
    as_annotator: Client, episode: Episode
) -> None:
    Episode.objects.filter(pk=episode.pk).update(
        head_segment=episode.head_segment.parent, head_length=3
    )
    refused = do(as_annotator, episode, "submit")
    assert (refused.status_code, refused.data["code"]) == (422, "nothing_to_submit")
    generation_at(Episode.objects.get(pk=episode.pk))
    refused = do(as_annotator, episode, "submit")
    assert (refused.status_code, refused.data["code"]) == (409, "running")
    assert not Submission.objects.exists()


def test_the_last_word_of_a_user_is_not_handed_in(as_annotator: Client, episode: Episode) -> None:
    turn = do(as_annotator, episode, "turns", messages=[{"role": "user", "content": "Shorter."}])
    assert turn.status_code == 201
    assert do(as_annotator, episode, "submit").data["code"] == "nothing_to_submit"
    answer(Episode.objects.get(pk=episode.pk), ids_of("Rain."))
    assert do(as_annotator, episode, "submit").status_code == 200


@pytest.mark.parametrize(
    ("act", "status"), [("later", "later"), ("skip", "skipped"), ("flag", "flagged")]
)
def test_setting_aside_keeps_the_work_and_frees_the_task(
    as_annotator: Client, episode: Episode, act: str, status: str
) -> None:
    body = {} if act == "later" else {"reason": "The question is unclear."}
    done = do(as_annotator, episode, act, **body)
    assert done.data["episode"]["status"] == status
    assert Lease.objects.filter(released_at=None).count() == 0
    note = Act.objects.get(episode=episode, kind=act)
    assert note.note == body.get("reason", "")
    assert do(as_annotator, episode, "reopen").data["episode"]["status"] == "open"


def test_skipping_and_flagging_need_a_reason(as_annotator: Client, episode: Episode) -> None:
    for act in ("skip", "flag"):
        for body in ({}, {"reason": ""}, {"reason": "x" * 3000}):
            assert do(as_annotator, episode, act, **body).status_code == 422


def test_closed_work_takes_no_acts_until_it_is_opened(
    as_annotator: Client, episode: Episode
) -> None:
    do(as_annotator, episode, "skip", reason="unclear")
    head = {"segment": str(episode.head_segment_id), "length": 1}
    acts: list[tuple[str, dict[str, Any]]] = [
        ("head", head),
        ("submit", {}),
        ("later", {}),
        ("corrections", {"segment": head["segment"], "index": 0, "choice": {"text": "x"}}),
        ("turns", {"messages": [{"role": "user", "content": "And?"}]}),
    ]
    for act, body in acts:
        refused = do(as_annotator, episode, act, **body)
        assert (refused.status_code, refused.data["code"]) == (409, "not_open"), act
    opened = do(as_annotator, episode, "reopen")
    assert opened.status_code == 200
    again = do(as_annotator, episode, "reopen")
    assert (again.status_code, again.data["code"]) == (409, "wrong_status")


def test_reviewers_accept_or_return_what_was_handed_in(
    as_annotator: Client, as_reviewer: Client, project: Project, episode: Episode
) -> None:
    project.settings = {"review": True}
    project.save()
    early = do(as_reviewer, episode, "accept")
    assert (early.status_code, early.data["code"]) == (409, "wrong_status")
    do(as_annotator, episode, "submit")
    assert do(as_reviewer, episode, "accept").data["episode"]["status"] == "accepted"
    kept = do(as_annotator, episode, "reopen")
    assert (kept.status_code, kept.data["code"]) == (409, "wrong_status")
    back = do(as_reviewer, episode, "return", comment="The last word, please.")
    assert back.data["episode"]["status"] == "returned"
    assert do(as_reviewer, episode, "return", comment="").status_code == 422
    versions = list(Act.objects.filter(episode=episode).values_list("version", flat=True))
    assert sorted(versions) == list(range(len(versions)))


def test_a_stale_end_is_refused_with_what_is_now(as_annotator: Client, episode: Episode) -> None:
    do(as_annotator, episode, "later")
    for act, body in (("submit", {}), ("skip", {"reason": "x"}), ("reopen", {})):
        stale = do(as_annotator, episode, act, **body, if_head=0)
        assert (stale.status_code, stale.data["code"]) == (412, "stale_head"), act
        assert stale.data["current"]["version"] == 1
