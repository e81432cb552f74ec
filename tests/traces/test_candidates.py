"""Candidates as the page and programs read them, JSON and packed."""

from __future__ import annotations

import struct
from array import array

import numpy as np
import pytest

from stet.traces.models import Episode, Origin, Segment
from stet.traces.services import correction_make
from tests.conftest import Client
from tests.traces.conftest import arrive, generation_at

PACKED = "application/octet-stream"


def url(segment: Segment | str) -> str:
    return f"/api/v1/segments/{getattr(segment, 'pk', segment)}/candidates"


def test_json_names_the_sampled_token_its_rank_and_the_rest(
    as_annotator: Client, segment: Segment
) -> None:
    answer = as_annotator.get(url(segment) + "?from=2&to=4")
    assert answer.status_code == 200
    assert [row["index"] for row in answer.data["rows"]] == [2, 3]
    row = answer.data["rows"][0]
    own = row["sampled"]["id"]
    assert row["sampled"]["rank"] == 1
    assert row["sampled"]["logprob"] == -0.5
    # What truncation cut is -inf at rest and null here; padding does not appear.
    assert [candidate[0] for candidate in row["candidates"]] == [own, own + 1]
    assert row["candidates"][1][2] is None
    assert row["other"] == pytest.approx(1 - np.exp(-0.5), abs=1e-6)
    assert "immutable" in answer.headers["Cache-Control"]


def test_packed_holds_the_same_in_half_precision(as_annotator: Client, segment: Segment) -> None:
    answer = as_annotator.get(url(segment) + "?from=1&to=3", HTTP_ACCEPT=PACKED)
    assert answer.headers["Content-Type"] == PACKED
    n, k = struct.unpack_from("<ii", answer.content)
    assert (n, k) == (2, 3)
    ids = array("i", answer.content[8 : 8 + 4 * n * k])
    scores = np.frombuffer(answer.content[8 + 4 * n * k :], "<f2")
    assert ids[2] == -1
    assert scores[0] == np.float16(-0.5)
    assert np.isneginf(scores[1])
    assert np.isnan(scores[2])


def test_a_live_segment_is_not_cached(as_annotator: Client, episode: Episode) -> None:
    generation = generation_at(episode)
    nothing = as_annotator.get(url(str(generation.segment_id)))
    assert nothing.status_code == 404
    arrive(generation, [5, 6, 7])
    answer = as_annotator.get(url(str(generation.segment_id)) + "?from=0&to=99")
    assert len(answer.data["rows"]) == 3
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_picked_token_shows_the_list_it_was_picked_from(
    as_annotator: Client, episode: Episode, segment: Segment
) -> None:
    token = as_annotator.get(url(segment) + "?from=3&to=4").data["rows"][0]["candidates"][1][0]
    made = correction_make(
        user=episode.author,
        episode_id=episode.pk,
        if_head=0,
        segment_id=segment.pk,
        index=3,
        choice={"candidate": token},
        go_on=False,
    )
    row = as_annotator.get(url(made.correction.new_segment)).data["rows"][0]
    assert row["sampled"]["id"] == token
    assert row["sampled"]["rank"] == 2
    assert made.correction.rank == 2
    packed = as_annotator.get(url(made.correction.new_segment), HTTP_ACCEPT=PACKED)
    assert packed.status_code == 404


def test_typed_tokens_have_no_candidates(
    as_annotator: Client, episode: Episode, segment: Segment
) -> None:
    made = correction_make(
        user=episode.author,
        episode_id=episode.pk,
        if_head=0,
        segment_id=segment.pk,
        index=3,
        choice={"text": " then"},
        go_on=False,
    )
    assert as_annotator.get(url(made.correction.new_segment)).data["rows"] == []


def test_an_answer_that_a_person_ended_goes_on_with_the_candidates_of_that_place(
    episode: Episode, segment: Segment
) -> None:
    ended = correction_make(
        user=episode.author,
        episode_id=episode.pk,
        if_head=0,
        segment_id=segment.pk,
        index=3,
        choice={"end": True},
        go_on=False,
    )
    assert ended.correction.new_segment.origin == Origin.HUMAN
    other = Segment.objects.get(pk=segment.pk)
    token = struct.unpack_from("<i", other.ids, 12)[0] + 1
    made = correction_make(
        user=episode.author,
        episode_id=episode.pk,
        if_head=1,
        segment_id=ended.correction.new_segment_id,
        index=0,
        choice={"candidate": token},
        go_on=False,
    )
    assert (made.correction.how, made.correction.rank) == ("go_on", 2)
    assert made.correction.new_segment.origin == Origin.CANDIDATE
