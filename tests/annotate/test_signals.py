"""Signals over REST: bulk, idempotent, each fault by its number; and what people decide of them."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from stet.policies.models import PolicyVersion
from stet.projects.models import Project
from stet.traces.models import Episode, Segment, Signal
from tests.conftest import Client
from tests.traces.conftest import episode, segment

__all__ = ["episode", "segment"]
RUN = {
    "id": "run-1",
    "messages": [
        {"role": "user", "content": "Book a flight."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "a", "function": {"name": "find", "arguments": '{"to": "SEA"}'}},
                {"id": "b", "function": {"name": "rate", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "two"},
        {"role": "tool", "tool_call_id": "b", "content": "5"},
        {"role": "assistant", "content": "Booked."},
    ],
}


@pytest.fixture
def run(as_researcher: Client, project: Project, policy: PolicyVersion) -> Episode:
    said = as_researcher.post(f"/api/v1/projects/{project.pk}/traces", RUN, format="json").json()
    return Episode.objects.get(pk=said["episodes"]["1"])


def row(**more: Any) -> dict[str, Any]:
    return {
        "external_id": "run-1",
        "kind": "scalar",
        "value": 0.5,
        "source": "critic",
        "version": "1",
        **more,
    }


def send(client: Client, project: Project, *rows: Any) -> Any:
    return client.post(
        "/api/v1/signals", {"project": project.pk, "signals": list(rows)}, format="json"
    )


def test_steps_calls_messages_and_tokens_can_be_judged(
    as_reviewer: Client, project: Project, run: Episode
) -> None:
    places = [
        {},
        {"step": 0},
        {"step": 1},
        {"call": 0},
        {"call": 1},
        {"message": 0},
        {"start": 3, "end": 5},
    ]
    said = send(as_reviewer, project, *(row(at=at) for at in places)).json()
    assert (said["added"], said["failed"]) == (len(places), 0), said
    listed = as_reviewer.get(f"/api/v1/signals?episode={run.pk}").json()["results"]
    spans = [one["span"] for one in listed]
    assert [span["level"] for span in spans] == [
        *("episode", "step", "step", "call", "call", "message", "token")
    ]
    step, first, second = spans[1], spans[3], spans[4]
    assert step["start"] < first["start"] < first["end"] <= second["start"] < step["end"]
    assert spans[0]["start"] == 0
    assert spans[0]["end"] == spans[2]["end"]
    # What signals point at is no part of the conversation.
    path = as_reviewer.get(f"/api/v1/episodes/{run.pk}?view=path").json()
    assert all(span["role"] for span in path["spans"])


def test_the_same_again_adds_nothing_and_another_value_needs_another_version(
    as_reviewer: Client, as_researcher: Client, project: Project, run: Episode
) -> None:
    assert send(as_reviewer, project, row(), row()).json()["same"] == 1
    again = send(as_reviewer, project, row(), row(value=0.7), row(value=0.7, version="2")).json()
    assert (again["added"], again["same"], again["failed"]) == (1, 1, 1)
    assert again["errors"][0]["line"] == 2
    assert again["errors"][0]["code"] == "signal_conflict"
    # Somebody else's program is another author.
    assert send(as_researcher, project, row(value=0.9)).json()["added"] == 1
    assert Signal.objects.count() == 3


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"kind": "binary"}, "bad_value"),
        ({"kind": "scalar", "value": "0.5"}, "bad_value"),
        ({"kind": "scalar", "value": True}, "bad_value"),
        ({"kind": "category", "value": ""}, "bad_value"),
        ({"kind": "structured", "value": [1]}, "bad_value"),
        ({"kind": "structured", "value": {"x": "y" * 70_000}}, "bad_value"),
        ({"kind": "preference", "value": {"over": 0}}, "bad_value"),
        ({"kind": "colour"}, "invalid"),
        ({"at": {"step": 9}}, "no_such_span"),
        ({"at": {"call": 2}}, "no_such_span"),
        ({"at": {"start": 5, "end": 5}}, "no_such_span"),
        ({"at": {"start": 0, "end": 10**9}}, "no_such_span"),
        ({"at": {"step": 0, "call": 0}}, "which_span"),
        ({"external_id": "elsewhere"}, "not_found"),
        ({"episode": 1}, "which_episode"),
        ({"source": ""}, "invalid"),
        ({"colour": "red"}, "invalid"),
        ({"evidence": {"x": "y" * 70_000}}, "bad_evidence"),
    ],
)
def test_a_fault_is_told_by_its_number_and_costs_no_other(
    as_reviewer: Client, project: Project, run: Episode, bad: dict[str, Any], code: str
) -> None:
    said = send(as_reviewer, project, row(source="a"), row(**bad), row(source="b")).json()
    assert said["added"] == 2, said
    assert [(error["line"], error["code"]) for error in said["errors"]] == [(2, code)]


def test_lines_are_taken_one_by_one(as_reviewer: Client, project: Project, run: Episode) -> None:
    body = b"\n".join([orjson.dumps(row()), b"", b"{nope", orjson.dumps(row(value=float("1e300")))])
    said = as_reviewer.post(
        f"/api/v1/signals?project={project.pk}", body, content_type="application/x-ndjson"
    ).json()
    assert (said["added"], said["failed"]) == (1, 2)
    assert [(error["line"], error["code"]) for error in said["errors"]] == [
        (3, "bad_json"),
        (4, "signal_conflict"),
    ]


def test_a_sampled_answer_can_be_judged_where_it_stands(
    as_reviewer: Client, project: Project, episode: Episode, segment: Segment
) -> None:
    said = send(as_reviewer, project, {**row(at={"step": 0}), "episode": episode.pk} | {})
    assert said.json()["failed"] == 1
    one = {**row(at={"step": 0}), "episode": episode.pk}
    del one["external_id"]
    assert send(as_reviewer, project, one).json()["added"] == 1
    span = as_reviewer.get(f"/api/v1/signals?episode={episode.pk}").json()["results"][0]["span"]
    assert (span["segment"], span["start"], span["end"]) == (
        str(segment.pk),
        segment.start,
        segment.start + segment.length,
    )


def test_others_learn_nothing(
    as_annotator: Client, as_reviewer: Client, project: Project, run: Episode, stranger: Any
) -> None:
    send(as_reviewer, project, row())
    pk = Signal.objects.get().pk
    assert as_annotator.get("/api/v1/signals").json()["results"] == []
    assert send(as_annotator, project, row()).status_code == 403
    assert (
        as_annotator.act(f"/api/v1/signals/{pk}/reviews", {"decision": "accept"}).status_code == 404
    )


def test_people_accept_reject_and_amend(
    as_reviewer: Client, as_researcher: Client, project: Project, run: Episode
) -> None:
    ids = send(as_researcher, project, row(), row(at={"step": 0}), row(at={"step": 1})).json()
    first, second, third = ids["signals"].values()
    url = "/api/v1/signals/{}/reviews"
    one = as_reviewer.act(url.format(first), {"decision": "accept", "active_ms": 1200})
    assert one.json()["review"]["decision"] == "accept"
    as_reviewer.act(url.format(first), {"decision": "reject", "comment": "No evidence."})
    amended = as_reviewer.act(url.format(second), {"decision": "amend", "value": 0.9}).json()
    replacement = amended["review"]["replacement"]
    assert Signal.objects.get(pk=replacement).value == 0.9
    assert Signal.objects.get(pk=second).value == 0.5
    assert (
        as_reviewer.act(url.format(third), {"decision": "amend", "value": 0.5}).status_code == 422
    )
    assert (
        as_reviewer.act(url.format(third), {"decision": "amend", "value": "x"}).status_code == 422
    )
    assert as_reviewer.act(url.format(third), {"decision": "accept", "value": 1}).status_code == 422
    own = as_researcher.act(url.format(third), {"decision": "accept"})
    assert (own.status_code, own.json()["code"]) == (403, "forbidden")
    assert as_reviewer.act(url.format(replacement), {"decision": "accept"}).status_code == 403

    def found(decided: str) -> list[int]:
        page = as_reviewer.get(f"/api/v1/signals?project={project.pk}&review={decided}").json()
        return [each["id"] for each in page["results"]]

    assert found("none") == [third, replacement]
    assert found("reject") == [first]
    assert found("amend") == [second]
