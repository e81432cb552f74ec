"""An act that will be refused leaves the stream at the head running."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from stet.accounts.models import User
from stet.policies.models import PolicyVersion
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project
from stet.projects.services import task_create
from stet.traces import selectors
from stet.traces.dialogue import conversation
from stet.traces.models import Act, Episode, Generation, Origin, Segment, Span
from stet.traces.services import correction_make, episode_begin, head_move, turn_add
from tests.conftest import Client
from tests.scripted.use import small_folder
from tests.traces.conftest import arrive, generation_at, ids_of


@pytest.fixture
def running(episode: Episode) -> Generation:
    """An answer that still arrives; whose process is long silent, so that a stop is quick."""
    generation = generation_at(episode)
    arrive(generation, ids_of("Rain on the roof, soft and then hard."))
    Generation.objects.filter(pk=generation.pk).update(heartbeat_at=Now() - timedelta(hours=1))
    return generation


def is_running(generation: Generation) -> bool:
    generation.refresh_from_db()
    return generation.status == Generation.Status.RUNNING and not generation.stop_requested


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("corrections", {"index": 3, "choice": {"candidate": 2}}, "not_a_candidate"),
    ("corrections", {"index": 3, "choice": {"candidate": 10**6}}, "unknown_token"),
    ("corrections", {"index": 3, "choice": {"text": ""}}, "empty_text"),
    ("corrections", {"index": 4000, "choice": {"end": True}}, "past_end"),
    ("corrections", {"index": 3, "choice": {"candidate": -3}}, "unknown_token"),
    (
        "corrections",
        {"index": 3, "choice": {"end": True}, "seen": {"upto": 3, "digest": "0" * 64}},
        "not_what_you_saw",
    ),
    ("head", {"length": 10**6, "root": True}, "past_end"),
    ("head", {"length": 2, "root": True, "how": "undo"}, "not_the_target"),
    ("head", {"length": 2, "how": "redo"}, "not_the_target"),
    ("turns", {"messages": [{"role": "user", "content": "word " * 4000}]}, "prompt_too_long"),
]


@pytest.mark.parametrize(("act", "body", "code"), REFUSED, ids=range(len(REFUSED)))
def test_a_refused_act_does_not_stop_the_stream(
    as_annotator: Client,
    episode: Episode,
    running: Generation,
    act: str,
    body: dict[str, Any],
    code: str,
) -> None:
    body = dict(body)
    segment = running.parent_id if body.pop("root", False) else running.segment_id
    place = {} if act == "turns" else {"segment": str(segment)}
    answer = as_annotator.act(
        f"/api/v1/episodes/{episode.pk}/{act}", {"if_head": 0, **place, **body}
    )
    assert answer.json()["code"] == code, answer.json()
    assert is_running(running)


def test_an_act_that_will_be_allowed_stops_it(
    as_annotator: Client, episode: Episode, running: Generation
) -> None:
    token = ids_of("Rain on the roof, soft and then hard.")[3]
    body = {"segment": str(running.segment_id), "index": 3, "choice": {"candidate": token + 1}}
    path = f"/api/v1/episodes/{episode.pk}/corrections"
    made = as_annotator.act(path, {"if_head": 0, "continue": False, **body})
    assert made.status_code == 201, made.json()
    assert not is_running(running)


def test_closed_work_stops_nothing(
    as_annotator: Client, episode: Episode, running: Generation
) -> None:
    Episode.objects.filter(pk=episode.pk).update(status="submitted")
    body = {"if_head": 0, "segment": str(running.parent_id), "length": 2}
    refused = as_annotator.act(f"/api/v1/episodes/{episode.pk}/head", body)
    assert refused.json()["code"] == "not_open"
    assert is_running(running)


def test_undo_and_redo_go_where_the_record_says(
    as_annotator: Client, episode: Episode, segment: Segment
) -> None:
    head_move(
        user=episode.author, episode_id=episode.pk, if_head=0, segment_id=segment.pk, length=5
    )
    path = f"/api/v1/episodes/{episode.pk}"
    there = as_annotator.get(path).json()["undo"]
    wrong = {"if_head": 1, "segment": str(segment.pk), "length": 4}
    for how in ("undo", "redo"):
        refused = as_annotator.act(f"{path}/head", {**wrong, "how": how})
        assert (refused.status_code, refused.json()["code"]) == (422, "not_the_target")
    assert Act.objects.filter(episode=episode).count() == 2
    back = as_annotator.act(f"{path}/head", {"if_head": 1, **there, "how": "undo"})
    assert back.status_code == 200
    redo = back.json()["episode"]["redo"]
    assert redo == {"segment": str(segment.pk), "length": 5}
    assert (
        as_annotator.act(f"{path}/head", {"if_head": 2, **redo, "how": "redo"}).status_code == 200
    )


def test_a_turn_behind_a_fork_in_the_prompt_knows_what_was_said_before(
    project: Project, annotator: User, policy: PolicyVersion
) -> None:
    """The messages behind the fork are gone, and the answer begins with the kept words."""
    talk = ["Write a line.", "Rain on the roof.", "And another."]
    roles = ["user", "assistant", "user"]
    messages = [{"role": r, "content": c} for r, c in zip(roles, talk, strict=True)]
    task = task_create(project=project, row={"external_id": "turns", "messages": messages})
    episode = episode_begin(task=task, author=annotator, policy=policy)
    root = Segment.objects.get(pk=episode.head_segment_id)
    (span,) = Span.objects.filter(segment=root, role="assistant")
    made = correction_make(
        user=annotator,
        episode_id=episode.pk,
        if_head=0,
        segment_id=root.pk,
        index=span.start + 2,
        choice={"text": " snow"},
        go_on=False,
    )
    path = selectors.head_path(made.episode)
    kept = load_tokenizer(small_folder()).text_of(path.ids[span.start : span.start + 2])
    assert conversation(made.episode, path) == [
        messages[0],
        {"role": "assistant", "content": f"{kept} snow"},
    ]
    moved = turn_add(
        user=annotator,
        episode_id=episode.pk,
        if_head=1,
        messages=[{"role": "tool", "content": "", "name": "find"}],
    )
    assert Segment.objects.get(pk=moved.head_segment_id).origin == Origin.TOOL
