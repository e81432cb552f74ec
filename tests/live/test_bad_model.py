"""A model server that fails in every way: what arrived is kept, and the person is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stet.stack.parts import Web
from tests.history import check
from tests.live.api import Api
from tests.live.stack import Scripted, Stack
from tests.live.test_kill_web import goes_on, noted, streaming

BEFORE = {"500": "model_broken", "503": "model_unreachable", "400": "model_refused"}
AMID = {
    "truncated": "model_lost",
    "cut": "model_lost",
    "reset": "model_lost",
    "bad_json": "model_broken",
    "half_utf8": "model_broken",
    "wrong_id": "model_broken",
    "other_id": "model_broken",
    "nan": "model_broken",
    "bare_nan": "model_broken",
    "error": "model_lost",
}
AFTER = 12


@pytest.fixture
def api(stack: Stack, web: Web, quick: Scripted) -> Iterator[Api]:
    client = stack.api(web)
    yield client
    quick.mode("ok")
    client.close()


@pytest.mark.parametrize("mode", BEFORE)
def test_a_refusal_leaves_the_episode_as_it_was(
    stack: Stack, quick: Scripted, api: Api, mode: str
) -> None:
    quick.mode(mode)
    episode, generation, tab = streaming(stack, api, tokens=1)
    end = tab.end(generation)
    assert (end["status"], end["segment"], end["seq"]) == ("failed", None, 1)
    assert end["error"]["code"] == BEFORE[mode]
    assert end["error"]["detail"]
    tree = api.tree(episode)
    assert tree["head"]["segment"] == tree["root"]
    assert tree["generations"][-1]["status"] == "failed"
    quick.mode("ok")
    goes_on(quick, api, episode)
    check(noted(episode, generation, tab))
    tab.close()


@pytest.mark.parametrize("mode", AMID)
def test_what_arrived_before_a_fault_is_kept_and_goes_on(
    stack: Stack, quick: Scripted, api: Api, mode: str
) -> None:
    quick.mode(mode, after=AFTER)
    episode, generation, tab = streaming(stack, api, tokens=AFTER)
    end = tab.end(generation)
    assert end["status"] == "interrupted", end
    assert end["error"]["code"] == AMID[mode]
    assert end["seq"] == AFTER + 1
    quick.mode("ok")
    goes_on(quick, api, episode)
    check(noted(episode, generation, tab))
    tab.close()


def test_a_frame_that_comes_twice_is_not_stored_as_text_that_was_not_sampled(
    stack: Stack, quick: Scripted, api: Api
) -> None:
    quick.mode("duplicate", after=AFTER)
    episode, generation, tab = streaming(stack, api, tokens=AFTER)
    end = tab.end(generation)
    assert end["status"] in {"interrupted", "done"}
    assert end["seq"] > AFTER
    check(noted(episode, generation, tab))
    tab.close()


@pytest.mark.parametrize("mode", ["no_done", "split", "crlf"])
def test_odd_but_lawful_streams_are_read_whole(
    stack: Stack, quick: Scripted, api: Api, mode: str
) -> None:
    quick.mode(mode)
    episode, generation, tab = streaming(stack, api, tokens=1)
    assert tab.end(generation)["status"] == "done"
    assert api.path(episode)["token_ids"][-1] == 2
    tab.close()


def test_a_server_that_hangs_can_be_stopped_and_keeps_what_came(
    stack: Stack, quick: Scripted, api: Api
) -> None:
    quick.mode("hang", after=AFTER)
    episode, generation, tab = streaming(stack, api, tokens=AFTER)
    quick.mode("ok")
    api.good(f"/generations/{generation}/stop")
    end = tab.end(generation)
    assert (end["status"], end["seq"]) == ("stopped", AFTER + 1)
    goes_on(quick, api, episode)
    tab.close()


def test_stopping_before_the_first_token_leaves_no_segment(
    stack: Stack, quick: Scripted, api: Api
) -> None:
    quick.mode("slow_first", seconds=120)
    episode, generation, tab = streaming(stack, api, tokens=0)
    quick.mode("ok")
    assert api.good(f"/generations/{generation}/stop")["status"] == "stopped"
    assert tab.end(generation)["segment"] is None
    tree = api.tree(episode)
    assert tree["head"] == {"segment": tree["root"], "length": tree["segments"][0]["length"]}
    goes_on(quick, api, episode)
    tab.close()
