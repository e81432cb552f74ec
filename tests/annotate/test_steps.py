"""Any episode as its steps over REST: heads in pages, each one whole, broken JSON as written."""

from __future__ import annotations

from typing import Any

import pytest

from stet.policies.models import PolicyVersion
from stet.projects.models import Project
from tests.conftest import Client

STEPS = 300
LARGE = "x" * 50_000


def turns(number: int) -> list[dict[str, Any]]:
    raw = '{"open": ' if number == 7 else f'{{"n": {number}}}'
    call = {"id": f"c{number}", "function": {"name": "look", "arguments": raw}}
    result = LARGE + " Needle" if number == 9 else "fine"
    return [
        {"role": "assistant", "content": f"I look {number}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


@pytest.fixture
def steps(as_researcher: Client, project: Project, policy: PolicyVersion) -> str:
    messages = [{"role": "user", "content": "Look."}]
    messages += [turn for number in range(STEPS) for turn in turns(number)]
    run = {"id": "long", "messages": messages}
    said = as_researcher.post(f"/api/v1/projects/{project.pk}/traces", run, format="json").json()
    return f"/api/v1/episodes/{said['episodes']['1']}/steps"


def test_pages_hold_every_step_once_and_only_heads_of_what_is_large(
    as_reviewer: Client, as_stranger: Client, steps: str
) -> None:
    seen: list[int] = []
    url: str | None = f"{steps}?limit=120"
    while url:
        answer = as_reviewer.get(url)
        assert answer.status_code == 200, answer.content
        assert len(answer.content) < 120 * 1_000
        seen += [one["step"] for one in answer.json()["results"]]
        url = answer.json()["next"]
    assert seen == list(range(STEPS))
    ninth = as_reviewer.get(f"{steps}?after=8&limit=1").json()["results"][0]["calls"][0]
    assert ninth["result"]["whole"] is False
    assert ninth["result"]["characters"] == len(LARGE) + 7
    for url in (steps, f"{steps}/0"):
        assert as_stranger.get(url).status_code == 404
    assert as_reviewer.get(f"{steps}?limit=0").status_code == 422


def test_a_step_is_whole_on_demand_and_broken_json_stands_as_written(
    as_reviewer: Client, steps: str
) -> None:
    whole = as_reviewer.get(f"{steps}/9").json()["calls"][0]
    assert whole["result"] == LARGE + " Needle"
    assert (whole["arguments"], whole["broken"]) == ({"n": 9}, False)
    broken = as_reviewer.get(f"{steps}/7").json()["calls"][0]
    assert (broken["raw"], broken["arguments"], broken["broken"]) == ('{"open": ', None, True)
    assert as_reviewer.get(f"{steps}/{STEPS}").status_code == 404


def test_a_search_finds_what_the_heads_do_not_show(as_reviewer: Client, steps: str) -> None:
    said = as_reviewer.get(f"{steps}?q=needle").json()
    assert (said["count"], [one["step"] for one in said["results"]]) == (1, [9])
    assert as_reviewer.get(f"{steps}?q=nowhere").json()["count"] == 0
