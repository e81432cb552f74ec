"""Two web processes: what one reads, the other shows, stops and corrects."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from stet.stack.parts import Web
from stet.traces.models import Correction
from tests.history import check
from tests.live.api import Api
from tests.live.stack import Stack
from tests.live.test_kill_web import noted, streaming

Pair = tuple[Api, Api]


@pytest.fixture
def pair(stack: Stack, webs: tuple[Web, Web]) -> Iterator[Pair]:
    """One person at both processes."""
    key = stack.person()
    here, there = Api(webs[0].url, key), Api(webs[1].url, key)
    yield here, there
    here.close()
    there.close()


def test_a_watch_goes_on_where_another_process_left_off(stack: Stack, pair: Pair) -> None:
    here, there = pair
    episode, generation, tab = streaming(stack, here, tokens=5)
    known = [list(row) for row in tab.rows[generation]]
    away = there.tab()
    away.watch(generation, known)
    end = away.end(generation)
    tab.end(generation)
    assert away.rows[generation] == tab.rows[generation]
    assert end["status"] == "done"
    check(noted(episode, generation, away))
    tab.close()
    away.close()


def test_the_end_is_told_once_to_whoever_has_everything(stack: Stack, pair: Pair) -> None:
    here, there = pair
    _, generation, tab = streaming(stack, here, tokens=5)
    tab.end(generation)
    for api in pair:
        again = api.tab()
        again.watch(generation, tab.rows[generation])
        assert again.end(generation)["seq"] == len(tab.rows[generation]) + 1
        again.close()
    beyond = there.tab()
    beyond.watch(generation, [*tab.rows[generation], [5, "x", -1.0], [6, "y", -1.0]])
    assert beyond.pump()["type"] == "reset"
    assert beyond.end(generation)
    assert beyond.rows[generation] == tab.rows[generation]
    beyond.close()
    tab.close()


def test_a_stream_is_stopped_and_corrected_from_elsewhere(stack: Stack, pair: Pair) -> None:
    here, there = pair
    episode, generation, tab = streaming(stack, here, tokens=5)
    segment = there.tree(episode)["head"]["segment"]
    body = {"if_head": 1, "segment": segment, "index": 3, "choice": {"text": "then"}}
    made = there.good(f"/episodes/{episode}/corrections", body)
    assert tab.end(generation)["status"] in {"stopped", "done"}
    second = made["generation"]["id"]
    stopped = here.good(f"/generations/{second}/stop")
    assert stopped["status"] in {"stopped", "done"}
    assert here.good(f"/generations/{second}/stop") == stopped
    history = noted(episode, generation, tab)
    history.note("ok", "correct", episode=episode, version=2, id=made["correction"]["id"])
    check(history)
    tab.close()


def test_of_two_corrections_at_once_one_counts(stack: Stack, pair: Pair) -> None:
    episode, generation, tab = streaming(stack, pair[0], tokens=5)
    tab.end(generation)
    segment = pair[0].tree(episode)["head"]["segment"]
    body = {"if_head": 1, "segment": segment, "index": 3, "continue": False}
    with ThreadPoolExecutor(2) as threads:
        answers = list(
            threads.map(
                lambda api: api.act(
                    f"/episodes/{episode}/corrections",
                    {**body, "choice": {"text": f"then {pair.index(api)}"}},
                ),
                pair,
            )
        )
    assert sorted(answer.status for answer in answers) == [201, 412]
    assert Correction.objects.filter(episode=episode).count() == 1
    tab.close()


def test_one_key_at_once_from_two_processes_has_one_effect(stack: Stack, pair: Pair) -> None:
    episode, generation, tab = streaming(stack, pair[0], tokens=5)
    tab.end(generation)
    segment = pair[0].tree(episode)["head"]["segment"]
    body = {
        "if_head": 1,
        "segment": segment,
        "index": 3,
        "continue": False,
        "choice": {"text": "then"},
    }
    with ThreadPoolExecutor(2) as threads:
        answers = list(
            threads.map(
                lambda api: api.act(f"/episodes/{episode}/corrections", body, key="the-same"), pair
            )
        )
    assert {answer.status for answer in answers} <= {201, 409}
    for answer in answers:
        if answer.status == 409:
            assert answer.code == "idempotency_key_in_flight"
            assert answer.headers["retry-after"]
    again = pair[1].act(f"/episodes/{episode}/corrections", body, key="the-same")
    first = next(answer for answer in answers if answer.status == 201)
    assert (again.status, again.body) == (201, first.body)
    assert Correction.objects.filter(episode=episode).count() == 1
    tab.close()
