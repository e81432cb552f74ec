"""The key lives in the transaction of its effect: both are there, or neither is."""

from __future__ import annotations

from typing import Any

import pytest

from stet.common.idempotency import idempotent
from stet.common.models import IdempotencyKey
from stet.projects.models import Project
from stet.traces.models import Act, Correction, Episode, Segment
from stet.traces.services import correction_make
from tests.conftest import Client


class Crash(Exception):
    """The process dies here."""


class Request:
    """As much of a request as a key is made from."""

    method, path, data = "POST", "/api/v1/episodes/1/corrections", {"index": 3}

    def __init__(self, user: Any, key: str = "once") -> None:
        self.user, self.headers = user, {"Idempotency-Key": key}


def test_a_crash_between_effect_and_answer_leaves_neither(
    episode: Episode, segment: Segment
) -> None:
    def effect(crash: bool = True) -> tuple[int, dict[str, Any]]:
        made = correction_make(
            user=episode.author,
            episode_id=episode.pk,
            if_head=0,
            segment_id=segment.pk,
            index=3,
            choice={"text": "then"},
            go_on=False,
        )
        if crash:
            raise Crash
        return 201, {"id": made.correction.pk}

    request: Any = Request(episode.author)
    with pytest.raises(Crash):
        idempotent(request, effect)
    assert not Correction.objects.exists()
    assert not IdempotencyKey.objects.exists()
    assert Act.objects.count() == 1
    episode.refresh_from_db()
    assert (episode.version, episode.head_segment_id) == (0, segment.pk)

    first = idempotent(request, lambda: effect(crash=False))
    again = idempotent(request, effect)
    assert (first.status_code, first.data) == (again.status_code, again.data)
    assert again.headers["Idempotent-Replay"] == "1"
    assert Correction.objects.count() == 1


def test_the_same_key_of_another_person_or_route_is_another(
    as_annotator: Client, as_reviewer: Client, project: Project, episode: Episode, segment: Segment
) -> None:
    route = f"/api/v1/episodes/{episode.pk}"
    head = {"if_head": 0, "segment": str(segment.pk), "length": 3}
    assert as_annotator.act(f"{route}/head", head, key="k").status_code == 200
    assert as_reviewer.act(f"{route}/head", head, key="k").status_code == 404
    later = as_annotator.act(f"{route}/later", {"if_head": 1}, key="k")
    assert later.status_code == 200
    assert "Idempotent-Replay" not in later.headers


@pytest.mark.parametrize(("key", "status"), [("", 400), (" ", 400), ("x" * 121, 422)])
def test_a_key_must_be_there_and_short(
    as_annotator: Client, episode: Episode, segment: Segment, key: str, status: int
) -> None:
    answer = as_annotator.post(
        f"/api/v1/episodes/{episode.pk}/later",
        {"if_head": 0},
        format="json",
        HTTP_IDEMPOTENCY_KEY=key,
    )
    assert answer.status_code == status
