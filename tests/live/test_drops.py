"""Streams whose readers go away, fall behind or never come back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from stet.stack.parts import Web
from stet.traces.models import Generation
from tests.live.api import Tab
from tests.live.stack import Scripted, Stack
from tests.live.test_kill_web import ended, streaming

UNWATCHED_SECONDS = 2


@pytest.fixture
def steady(stack: Stack) -> Iterator[Scripted]:
    """500 tokens in two and a half seconds."""
    part = stack.scripted(ttft_ms=5, itl_ms=5, tokens=500)
    yield part
    part.stop()


@pytest.fixture
def own_web(stack: Stack, steady: Scripted) -> Iterator[Web]:
    part = stack.web(steady, STET_UNWATCHED_SECONDS=str(UNWATCHED_SECONDS))
    yield part
    part.stop()


def test_a_reader_goes_on_behind_the_token_where_it_was_cut(stack: Stack, own_web: Web) -> None:
    api = stack.api(own_web)
    episode, generation, tab = streaming(stack, api, tokens=137)
    known = tab.rows[generation][:137]
    tab.close()
    # Cut again before anything came: the place is still the same.
    hasty = api.tab()
    hasty.watch(generation, known)
    hasty.close()
    again = api.tab()
    again.watch(generation, known)
    first = again.message()
    assert (first["type"], first["start"]) == ("tokens", 137)
    again.rows[generation] += first["rows"]
    again.end(generation)
    assert again.rows[generation][:137] == known
    assert len(again.rows[generation]) == 500
    assert api.path(episode)["rows"][-500:] == again.rows[generation]
    again.close()
    api.close()


def test_a_reader_that_knows_more_than_the_log_gets_one_snapshot(
    stack: Stack, own_web: Web
) -> None:
    api = stack.api(own_web)
    _, generation, tab = streaming(stack, api, tokens=1)
    tab.end(generation)
    lost = api.tab()
    lost.send({"type": "watch", "generation": generation, "after": 900})
    reset = lost.message()
    assert (reset["type"], reset["seq"]) == ("reset", 500)
    assert reset["rows"] == tab.rows[generation]
    assert lost.message()["type"] == "end"
    for one in (lost, tab):
        one.close()
    api.close()


def test_a_reader_that_pauses_gets_all_in_order(stack: Stack, own_web: Web) -> None:
    api = stack.api(own_web)
    episode, generation, tab = streaming(stack, api, tokens=1)
    time.sleep(3)
    end = tab.end(generation)
    assert end["seq"] == 501
    assert len(tab.rows[generation]) == 500
    assert api.path(episode)["rows"][-500:] == tab.rows[generation]
    tab.close()
    api.close()


def running(model: Scripted) -> float:
    """How many requests the model server is busy with, by its own count."""
    return float(re.findall(r"^vllm:num_requests_running\S* (\S+)$", model.metrics(), re.M)[0])


def test_once_nobody_watches_the_model_is_let_go(stack: Stack) -> None:
    slow = stack.scripted(ttft_ms=5, itl_ms=60, tokens=500)
    web = stack.web(slow, STET_UNWATCHED_SECONDS=str(UNWATCHED_SECONDS))
    api = stack.api(web)
    episode, generation, tab = streaming(stack, api, tokens=5)
    left: Tab = api.tab()
    left.watch(generation)
    assert running(slow) == 1
    left.close()
    time.sleep(UNWATCHED_SECONDS + 2)
    assert running(slow) == 1, "somebody still watches"
    shown = len(tab.rows[generation])
    tab.close()
    limit = time.monotonic() + UNWATCHED_SECONDS + 15
    while running(slow) and time.monotonic() < limit:
        time.sleep(0.2)
    assert running(slow) == 0
    sealed = ended(api, episode)
    assert sealed["status"] == "abandoned"
    assert shown <= sealed["n_tokens"] < 500
    assert Generation.objects.get(pk=generation).n_tokens == sealed["n_tokens"]
    for part in (web, slow):
        part.stop()
    api.close()
