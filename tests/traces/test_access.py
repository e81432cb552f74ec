"""Whose episode it is: strangers learn nothing, colleagues no more than their role allows."""

from __future__ import annotations

from typing import Any

import pytest

from stet.accounts.roles import Role
from stet.projects.models import Membership, Project
from stet.traces.models import Episode, Generation, Segment
from stet.traces.services import correction_make
from tests.conftest import Client, client_of, member

READS = ["/episodes/{episode}", "/episodes/{episode}?view=path"]
ACTS = {
    "/episodes/{episode}/continue": {},
    "/episodes/{episode}/corrections": {
        "segment": "{segment}",
        "index": 1,
        "choice": {"text": "then"},
    },
    "/episodes/{episode}/corrections/{correction}/reason": {"reason": "clearer"},
    "/episodes/{episode}/head": {"segment": "{segment}", "length": 1},
    "/episodes/{episode}/turns": {"messages": [{"role": "user", "content": "And?"}]},
    "/episodes/{episode}/submit": {},
    "/episodes/{episode}/later": {},
    "/episodes/{episode}/skip": {"reason": "unclear"},
    "/episodes/{episode}/flag": {"reason": "unclear"},
    "/episodes/{episode}/reopen": {},
    "/generations/{generation}/stop": None,
}
REVIEWS = {
    "/episodes/{episode}/accept": {},
    "/episodes/{episode}/return": {"comment": "Look again."},
}
PREVIEW = {"segment": "{segment}", "index": 1, "text": "then"}


@pytest.fixture
def names(episode: Episode, segment: Segment) -> dict[str, Any]:
    made = correction_make(
        user=episode.author,
        episode_id=episode.pk,
        if_head=0,
        segment_id=segment.pk,
        index=3,
        choice={"text": "then"},
        go_on=False,
    )
    generation = Generation.objects.get(segment_id=segment.pk)
    return {
        "episode": episode.pk,
        "segment": str(segment.pk),
        "generation": str(generation.pk),
        "correction": made.correction.pk,
    }


def post(client: Client, route: str, body: Any, names: dict[str, Any]) -> Any:
    data = None
    if body is not None:
        data = {k: v.format(**names) if k == "segment" else v for k, v in body.items()}
        if "reason}" not in route and not route.endswith(("preview", "/reason")):
            data["if_head"] = 1
    return client.act("/api/v1" + route.format(**names), data)


def test_for_strangers_nothing_of_it_exists(as_stranger: Client, names: dict[str, Any]) -> None:
    reads = [
        *READS,
        "/segments/{segment}/candidates",
        "/generations/{generation}/events",
    ]
    for route in reads[:3]:
        assert as_stranger.get("/api/v1" + route.format(**names)).status_code == 404, route
    for route, body in {**ACTS, **REVIEWS, "/episodes/{episode}/preview": PREVIEW}.items():
        answer = post(as_stranger, route, body, names)
        assert (answer.status_code, answer.data["code"]) == (404, "not_found"), route
        assert answer.headers["Content-Type"].startswith("application/problem+json")
    assert Episode.objects.get(pk=names["episode"]).version == 1


def test_an_annotator_does_not_see_a_colleagues_work(
    project: Project, names: dict[str, Any]
) -> None:
    colleague = client_of(member(project, "colleague", Role.ANNOTATOR))
    for route in [*READS, "/segments/{segment}/candidates"]:
        assert colleague.get("/api/v1" + route.format(**names)).status_code == 404, route
    for route, body in {**ACTS, **REVIEWS}.items():
        assert post(colleague, route, body, names).status_code == 404, route


def test_a_reviewer_reads_but_does_not_act_for_others(
    as_reviewer: Client, names: dict[str, Any]
) -> None:
    for route in [*READS, "/segments/{segment}/candidates"]:
        assert as_reviewer.get("/api/v1" + route.format(**names)).status_code == 200, route
    for route, body in ACTS.items():
        assert post(as_reviewer, route, body, names).status_code == 404, route


def test_the_author_reviews_nothing_of_their_own(
    as_annotator: Client, project: Project, episode: Episode, names: dict[str, Any]
) -> None:
    for route, body in REVIEWS.items():
        assert post(as_annotator, route, body, names).status_code == 403, route
    Membership.objects.filter(user=episode.author).update(role=Role.OWNER)
    project.settings = {"review": True}
    project.save()
    submitted = post(as_annotator, "/episodes/{episode}/submit", {}, names)
    assert submitted.data["episode"]["status"] == "submitted"
    for route, body in REVIEWS.items():
        body = {**body, "if_head": 2}
        answer = as_annotator.act("/api/v1" + route.format(**names), body)
        assert (answer.status_code, answer.data["code"]) == (403, "forbidden"), route


def test_who_left_the_project_is_a_stranger(as_annotator: Client, names: dict[str, Any]) -> None:
    from django.utils import timezone

    Membership.objects.filter(user=as_annotator.person).update(ended_at=timezone.now())
    for route in [*READS, "/segments/{segment}/candidates"]:
        assert as_annotator.get("/api/v1" + route.format(**names)).status_code == 404, route
    for route, body in ACTS.items():
        assert post(as_annotator, route, body, names).status_code == 404, route


def test_without_a_sign_in_nothing_is_answered(names: dict[str, Any]) -> None:
    nobody = Client()
    for route in [*READS, "/segments/{segment}/candidates"]:
        assert nobody.get("/api/v1" + route.format(**names)).status_code == 401, route
    for route, body in ACTS.items():
        path = "/api/v1" + route.format(**names)
        assert nobody.post(path, body or {}, format="json").status_code == 401, route
