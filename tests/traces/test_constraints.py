"""What the database itself refuses, whoever writes it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from stet.accounts.models import User
from stet.common.packing import pack_floats, pack_ids
from stet.traces.models import Act, Chunk, Correction, Episode, Generation, Segment, Span
from tests.traces.conftest import arrive, generation_at


def fields(behind: Segment, **changed: Any) -> dict[str, Any]:
    """A typed segment of two tokens behind another's third."""
    return {
        "task_id": behind.task_id,
        "episode_id": behind.episode_id,
        "parent": behind,
        "fork_at": 3,
        "start": behind.start + 3,
        "length": 2,
        "origin": 3,
        "tokenizer_sha256": behind.tokenizer_sha256,
        "ids": pack_ids([5, 6]),
        "digest": b"0" * 32,
        **changed,
    }


BAD_SEGMENTS: dict[str, dict[str, Any]] = {
    "segment_not_empty": {"length": 0, "ids": b""},
    "segment_ids_length": {"length": 3},
    "segment_origin_known": {"origin": 6},
    "segment_root_or_fork": {"fork_at": 0},
    "segment_logprobs_length": {"origin": 2, "logprobs": pack_floats([-1.0])},
    "segment_logprobs_iff_scored": {"logprobs": pack_floats([-1.0, -1.0])},
}


@pytest.mark.parametrize("name", BAD_SEGMENTS)
def test_a_segment_that_cannot_be(segment: Segment, name: str) -> None:
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Segment.objects.create(**fields(segment, **BAD_SEGMENTS[name]))


@pytest.mark.parametrize(
    "changed",
    [
        {"parent": None},
        {"fork_at": None},
        {"start": 0},
        {"ids": pack_ids([5, 6]) + b"\0"},
        {"origin": 1},
    ],
    ids=str,
)
def test_a_segment_that_contradicts_itself(segment: Segment, changed: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Segment.objects.create(**fields(segment, **changed))


def test_a_lawful_segment_is_taken(segment: Segment) -> None:
    assert Segment.objects.create(**fields(segment)).length == 2


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3)])
def test_a_span_is_never_empty(segment: Segment, start: int, end: int) -> None:
    with pytest.raises(IntegrityError, match="span_not_empty"), transaction.atomic():
        Span.objects.create(segment=segment, level="token", start=start, end=end)


def test_levels_and_states_are_known_words(segment: Segment, episode: Episode) -> None:
    with pytest.raises(IntegrityError, match="span_level_known"), transaction.atomic():
        Span.objects.create(segment=segment, level="word", start=0, end=1)
    with pytest.raises(IntegrityError, match="episode_status_known"), transaction.atomic():
        Episode.objects.filter(pk=episode.pk).update(status="lost")
    with pytest.raises(IntegrityError, match="episode_head_length"), transaction.atomic():
        Episode.objects.filter(pk=episode.pk).update(head_length=0)
    with pytest.raises(IntegrityError, match="generation_status_known"), transaction.atomic():
        Generation.objects.filter(episode=episode).update(status="odd")
    with pytest.raises(IntegrityError, match="generation_fork"), transaction.atomic():
        Generation.objects.filter(episode=episode).update(fork_at=0)


def test_a_version_is_given_once(episode: Episode, annotator: User) -> None:
    act = Act.objects.get(episode=episode)
    with pytest.raises(IntegrityError, match="act_version_once"), transaction.atomic():
        Act.objects.create(
            episode=episode,
            version=act.version,
            kind="move",
            head_segment_id=act.head_segment_id,
            author=annotator,
        )


def test_a_correction_replaces_something_by_something(
    segment: Segment, episode: Episode, annotator: User
) -> None:
    new = Segment.objects.create(**fields(segment))
    values = {
        "episode": episode,
        "segment": segment,
        "index": 3,
        "position": new.start,
        "new_segment": new,
        "how": "type",
        "author": annotator,
    }
    with pytest.raises(IntegrityError, match="correction_not_empty"), transaction.atomic():
        Correction.objects.create(**values, rejected=[], accepted=[5, 6])
    with pytest.raises(IntegrityError, match="correction_not_empty"), transaction.atomic():
        Correction.objects.create(**values, rejected=[4], accepted=[])
    with pytest.raises(IntegrityError, match="correction_how_known"), transaction.atomic():
        Correction.objects.create(**{**values, "how": "x"}, rejected=[4], accepted=[5, 6])
    Correction.objects.create(**values, rejected=[4], accepted=[5, 6])
    with pytest.raises(IntegrityError), transaction.atomic():
        Correction.objects.create(**values, rejected=[4], accepted=[5, 6])


def test_a_chunk_is_written_once_and_never_empty(episode: Episode) -> None:
    generation = generation_at(episode)
    arrive(generation, [5, 6])
    with pytest.raises(IntegrityError, match="chunk_once"), transaction.atomic():
        arrive(generation, [5])
    with pytest.raises(IntegrityError, match="chunk_not_empty"), transaction.atomic():
        arrive(generation, [], start=2)
    assert Chunk.objects.count() == 1
