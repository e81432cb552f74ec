"""Sealing: a log becomes one segment, once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from stet.common.packing import unpack_ids
from stet.traces.models import Candidates, Chunk, Episode, Generation, Segment
from stet.traces.sealing import generation_seal, generations_sweep
from tests.traces.conftest import arrive, generation_at


def test_chunks_become_one_segment_and_go(episode: Episode) -> None:
    generation = generation_at(episode)
    arrive(generation, [5, 6, 7])
    arrive(generation, [8], start=3)
    sealed = generation_seal(generation.pk, status="done", finish_reason="stop")
    segment = Segment.objects.get(pk=generation.segment_id)
    assert list(unpack_ids(segment.ids)) == [5, 6, 7, 8]
    assert (sealed.status, sealed.n_tokens, sealed.owner) == ("done", 4, None)
    assert not Chunk.objects.exists()
    assert Candidates.objects.get(segment=segment).k == 3


def test_a_second_seal_changes_nothing(episode: Episode) -> None:
    generation = generation_at(episode)
    arrive(generation, [5])
    generation_seal(generation.pk, status="stopped")
    again = generation_seal(generation.pk, status="interrupted", error={"code": "x"})
    assert (again.status, again.error) == ("stopped", None)
    assert Segment.objects.filter(pk=generation.segment_id).count() == 1


def test_without_a_token_the_head_goes_back(episode: Episode) -> None:
    before = (episode.head_segment_id, episode.head_length)
    generation = generation_at(episode)
    sealed = generation_seal(generation.pk, status="failed", error={"code": "model_unreachable"})
    episode.refresh_from_db()
    assert (episode.head_segment_id, episode.head_length) == before
    assert sealed.n_tokens == 0
    assert not Segment.objects.filter(pk=generation.segment_id).exists()


def test_a_log_with_a_gap_is_not_sealed(episode: Episode) -> None:
    generation = generation_at(episode)
    arrive(generation, [5])
    arrive(generation, [7], start=2)
    with pytest.raises(ValueError, match="gap at 1"):
        generation_seal(generation.pk, status="done")


@pytest.mark.parametrize(("age", "swept"), [(0, 0), (10, 0), (16, 1), (3600, 1)])
def test_only_a_silent_owner_loses_its_stream(episode: Episode, age: int, swept: int) -> None:
    generation = generation_at(episode)
    arrive(generation, [5, 6])
    silent = Now() - timedelta(seconds=age)
    Generation.objects.filter(pk=generation.pk).update(heartbeat_at=silent)
    assert generations_sweep() == swept
    generation.refresh_from_db()
    assert generation.status == ("interrupted" if swept else "running")
    assert (generation.error or {}).get("code") == ("owner_lost" if swept else None)
    assert Segment.objects.filter(pk=generation.segment_id).exists() == bool(swept)
