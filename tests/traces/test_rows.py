"""Rows of one segment are those that a path through it shows."""

from __future__ import annotations

from stet.policies.tokenizer import load_tokenizer
from stet.traces.models import Episode, Segment
from stet.traces.services import correction_make
from tests.conftest import Client
from tests.scripted.use import small_folder
from tests.traces.conftest import answer, generation_at, ids_of


def test_a_character_that_a_segment_only_ends_is_shown_there(
    as_annotator: Client, episode: Episode
) -> None:
    """The three tokens of a face, cut behind the second: the next segment brings the rest."""
    face = [load_tokenizer(small_folder()).pieces.index(b) for b in (b"\xf0", b"\x9f", b"\x98")]
    last = load_tokenizer(small_folder()).pieces.index(b"\x8a")
    answer(episode, [*ids_of("ab"), *face])
    tail = answer(episode, [last, *ids_of("cd")])
    path = as_annotator.get(f"/api/v1/episodes/{episode.pk}?view=path").json()
    rows = as_annotator.get(f"/api/v1/segments/{tail.pk}/rows").json()
    assert rows["rows"] == path["rows"][tail.start :]
    assert rows["rows"][0] == [last, "😊", -0.5, "8a"]
    part = as_annotator.get(f"/api/v1/segments/{tail.pk}/rows?from=1&to=2")
    assert part.json()["rows"] == rows["rows"][1:2]
    assert "immutable" in part.headers["Cache-Control"]
    root = as_annotator.get(f"/api/v1/segments/{path['pieces'][0]['segment']}/rows").json()
    assert root["rows"] == path["rows"][: root["length"]]


def test_the_rows_of_an_answer_in_the_making_are_not_kept(
    as_annotator: Client, as_reviewer: Client, episode: Episode, segment: Segment
) -> None:
    generation = generation_at(episode)
    assert as_annotator.get(f"/api/v1/segments/{generation.segment_id}/rows").status_code == 404
    own = as_reviewer.get(f"/api/v1/segments/{segment.pk}/rows?to=100000")
    assert own.json()["to"] == segment.length


def test_a_stranger_learns_nothing_of_rows(
    as_stranger: Client, episode: Episode, segment: Segment
) -> None:
    made = correction_make(
        user=episode.author,
        episode_id=episode.pk,
        if_head=0,
        segment_id=segment.pk,
        index=3,
        choice={"text": "then"},
        go_on=False,
    )
    for pk in (segment.pk, made.correction.new_segment_id):
        assert as_stranger.get(f"/api/v1/segments/{pk}/rows").status_code == 404
