"""A look-ahead keeps its log, becomes a segment only when it is taken, and yields to others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from stet.common.packing import unpack_ids
from stet.policies.samplers.base import ModelUnreachable
from stet.projects.models import Project
from stet.traces.digests import seen_digest
from stet.traces.models import Candidates, Chunk, Episode, Generation, Segment
from stet.traces.sealing import generation_seal, generations_sweep
from stet.traces.selectors import path_to, prefix_ids
from stet.traces.streams.gate import Gate
from tests.conftest import Client
from tests.traces.conftest import arrive

INDEX = 3
READ = [40, 41, 42, 43]


def ahead_of(segment: Segment, index: int = INDEX, **fields: Any) -> Generation:
    """A look-ahead behind the second candidate of a place, as it is while it is read."""
    episode = segment.episode
    assert episode is not None
    policy = episode.policy
    assert policy is not None
    return Generation.objects.create(
        **{
            "task_id": segment.task_id,
            "episode": episode,
            "at_segment": segment.pk,
            "at_index": index,
            "candidate": unpack_ids(segment.ids)[index] + 1,
            "start": segment.start + index + 1,
            "policy": policy,
            "sampling": episode.sampling,
            "logprobs_mode": policy.logprobs_mode,
            "status": "lookahead",
            **fields,
        }
    )


@pytest.fixture
def read(segment: Segment) -> Generation:
    """A look-ahead that has ended at its own limit."""
    generation = ahead_of(segment)
    arrive(generation, READ)
    return generation_seal(generation.pk, status="done", finish_reason="length")


def pick(segment: Segment, read: Generation, ids: list[int], **more: Any) -> dict[str, Any]:
    seen = path_to(segment.pk).ids[: segment.start + INDEX + 1]
    return {
        "if_head": 0,
        "segment": str(segment.pk),
        "index": INDEX,
        "choice": {"candidate": read.candidate},
        "seen": {"upto": len(seen), "digest": seen_digest(seen), "lookahead": True},
        "lookahead": {"generation": str(read.pk), "ids": ids},
        "continue": False,
        **more,
    }


def test_it_ends_without_a_segment(read: Generation, episode: Episode) -> None:
    assert (read.status, read.n_tokens, read.finish_reason) == ("lookahead", 4, "length")
    assert read.ended_at is not None
    assert not Segment.objects.filter(pk=read.segment_id).exists()
    assert Chunk.objects.filter(generation=read).count() == 1
    head = (episode.head_segment_id, episode.head_length)
    episode.refresh_from_db()
    assert (episode.head_segment_id, episode.head_length) == head
    assert prefix_ids(read)[-1] == read.candidate
    assert len(prefix_ids(read)) == read.start


def test_a_silent_owner_leaves_it_ended(segment: Segment) -> None:
    generation = ahead_of(segment)
    arrive(generation, READ[:2])
    Generation.objects.filter(pk=generation.pk).update(heartbeat_at="2020-01-01T00:00:00Z")
    assert generations_sweep() == 1
    assert generations_sweep() == 0
    generation.refresh_from_db()
    assert (generation.status, generation.n_tokens) == ("lookahead", 2)
    assert not Segment.objects.filter(pk=generation.segment_id).exists()


def test_it_is_taken_in_the_transaction_of_the_pick(
    as_annotator: Client, episode: Episode, segment: Segment, read: Generation
) -> None:
    path = f"/api/v1/episodes/{episode.pk}/corrections"
    as_annotator.act(path, {**pick(segment, read, READ), "if_head": 99}, key="warm")
    with CaptureQueriesContext(connection) as asked:
        answer = as_annotator.act(path, pick(segment, read, READ[:2]))
    assert answer.status_code == 201, answer.json()
    queries = [query["sql"] for query in asked if "SAVEPOINT" not in query["sql"]]
    assert len(queries) <= 19, queries
    taken = Segment.objects.get(pk=answer.json()["lookahead"]["segment"])
    assert list(unpack_ids(taken.ids)) == READ
    assert taken.seen_before_pick
    assert str(taken.parent_id) == answer.json()["correction"]["new_segment"]
    assert Candidates.objects.get(segment=taken).k == 3
    assert not Chunk.objects.exists()
    read.refresh_from_db()
    # The limit of the look-ahead is not the end of the answer.
    assert (read.status, read.finish_reason, read.parent_id) == ("stopped", "", taken.parent_id)
    assert list(prefix_ids(read)) == list(path_to(taken.pk).ids[: taken.start])
    episode.refresh_from_db()
    assert (episode.head_segment_id, episode.head_length) == (taken.pk, 4)


def test_what_is_shown_while_it_arrives_can_be_taken(
    as_annotator: Client, episode: Episode, segment: Segment
) -> None:
    generation = ahead_of(segment)
    arrive(generation, READ[:3])
    body = pick(segment, generation, READ[:1])
    answer = as_annotator.act(f"/api/v1/episodes/{episode.pk}/corrections", body)
    assert answer.status_code == 201, answer.json()
    assert answer.json()["lookahead"]["length"] == 3
    # Its reader finds that it is not its own any more, and a late seal changes nothing.
    generation_seal(generation.pk, status="stopped")
    generation.refresh_from_db()
    assert (generation.status, generation.n_tokens, generation.owner) == ("stopped", 3, None)


@pytest.mark.parametrize(
    "change",
    [
        {"lookahead": {"generation": "00000000-0000-0000-0000-000000000001", "ids": [40]}},
        {"index": INDEX + 1},
        {"choice": {"text": "more"}},
        {"choice": {"end": True}},
    ],
)
def test_one_that_does_not_belong_there_refuses_the_pick(
    as_annotator: Client,
    episode: Episode,
    segment: Segment,
    read: Generation,
    change: dict[str, Any],
) -> None:
    before = Segment.objects.count()
    ids = unpack_ids(segment.ids)
    more = {"choice": {"candidate": ids[INDEX + 1] + 1}} if "index" in change else {}
    body = {**pick(segment, read, READ), **more, **change}
    answer = as_annotator.act(f"/api/v1/episodes/{episode.pk}/corrections", body)
    assert (answer.status_code, answer.json()["code"]) == (412, "not_what_you_saw")
    assert Segment.objects.count() == before
    read.refresh_from_db()
    assert read.ahead


@pytest.mark.parametrize(
    "fields",
    [
        {"candidate": None},
        {"at_segment": None},
        {"at_index": None},
        {"status": "done"},
        {"status": "running"},
        {"fork_at": 1},
    ],
)
def test_the_database_knows_what_has_no_parent(segment: Segment, fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match="generation_fork"), transaction.atomic():
        ahead_of(segment, **fields)


def test_its_cost_is_told_by_episode_and_project(
    as_annotator: Client, as_owner: Client, project: Project, episode: Episode, read: Generation
) -> None:
    cost = {"generations": 1, "tokens": 4, "taken": 0, "taken_tokens": 0}
    assert as_annotator.get(f"/api/v1/episodes/{episode.pk}").json()["lookahead"] == cost
    where = f"/api/v1/projects/{project.pk}/lookahead"
    assert as_owner.get(where).json() == cost
    assert as_annotator.get(where).status_code in {403, 404}


class Queue:
    """A model server at which so many requests wait."""

    def __init__(self, waiting: int | None) -> None:
        self._waiting = waiting

    async def waiting(self) -> int:
        if self._waiting is None:
            raise ModelUnreachable
        return self._waiting


def live(ahead_in: int | None, received: int = 5) -> Any:
    return SimpleNamespace(request=SimpleNamespace(ahead_in=ahead_in), received=received)


@pytest.mark.parametrize(
    ("lives", "room"),
    [
        ([], 4),
        ([live(None)], 4),
        ([live(None, received=0)], 0),
        ([live(1), live(1, received=0)], 2),
        ([live(1)] * 4, 0),
        ([live(1)] * 9, 0),
    ],
)
async def test_a_process_begins_a_bounded_number(
    settings: Any, lives: list[Any], room: int
) -> None:
    settings.LOOKAHEADS = 4
    gate = Gate(Queue(0))  # type: ignore[arg-type]
    assert gate.room(lives) == room


@pytest.mark.parametrize(("waiting", "open_"), [(0, True), (1, False), (None, True)])
async def test_none_begins_while_requests_wait(waiting: int | None, open_: bool) -> None:
    gate = Gate(Queue(waiting))  # type: ignore[arg-type]
    gate.asked()
    assert gate._task is not None
    await gate._task
    assert (gate.room([]) > 0) is open_
    gate.asked()
    assert gate._task.done()
    gate.refuse("no priorities here")
    assert gate.room([]) == 0
    await gate.close()


def test_a_stranger_cannot_begin_or_cancel(
    as_stranger: Client, episode: Episode, segment: Segment
) -> None:
    body = {"segment": str(segment.pk), "index": INDEX, "candidates": [30]}
    for where, sent in (("lookahead", body), ("lookahead/cancel", {})):
        answer = as_stranger.act(f"/api/v1/episodes/{episode.pk}/{where}", sent)
        assert answer.status_code == 404
