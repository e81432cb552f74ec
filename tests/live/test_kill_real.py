"""The real model server: a web process that dies over it, and its own death."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from stet.stack.parts import Vllm, Web
from stet.traces.models import Generation
from stet.traces.selectors import prefix_ids
from tests.history import check
from tests.live.api import Api
from tests.live.stack import Stack
from tests.live.test_kill_web import ended, noted, streaming

pytestmark = pytest.mark.vllm


def begun(stack: Stack, web: Web) -> tuple[Api, int, str, Any]:
    """A long answer of the real model that has begun to arrive."""
    api = stack.api(web)
    return api, *streaming(stack, api, tokens=8, max_tokens=3000, seed=7)


def went_on(api: Api, episode: int) -> None:
    """*Continue* works, and the model counts exactly the stored ids as its prompt."""
    before = api.path(episode)
    body = {"if_head": before["version"], "sampling": {"max_tokens": 8}}
    began = api.good(f"/episodes/{episode}/continue", body)["generation"]
    tab = api.tab()
    tab.watch(began["id"])
    assert tab.end(began["id"])["status"] == "done"
    row = Generation.objects.get(pk=began["id"])
    assert list(prefix_ids(row)) == before["token_ids"]
    assert row.usage["prompt_tokens"] == len(before["token_ids"])
    assert api.path(episode)["token_ids"][: len(before["token_ids"])] == before["token_ids"]
    tab.close()


def test_a_web_process_that_dies_over_the_real_model(stack: Stack, real_vllm: Vllm) -> None:
    real = stack.on(real_vllm)
    web = real.web(real_vllm)
    api, episode, generation, tab = begun(real, web)
    os.kill(web.pid, signal.SIGKILL)
    tab.closed()
    web.restart()
    sealed = ended(api, episode)
    assert sealed["status"] == "interrupted"
    assert sealed["n_tokens"] >= len(tab.rows[generation])
    check(noted(episode, generation, tab))
    went_on(api, episode)
    tab.close()
    api.close()
    web.stop()


def test_the_real_model_dies_in_mid_stream(stack: Stack, real_vllm: Vllm) -> None:
    if not real_vllm.alive:
        pytest.skip("the model server was not started by these tests, so they do not end it")
    real = stack.on(real_vllm)
    web = real.web(real_vllm)
    api, episode, generation, tab = begun(real, web)
    real_vllm.kill()
    end = tab.end(generation)
    assert end["status"] == "interrupted"
    assert end["error"]["code"] == "model_lost"
    check(noted(episode, generation, tab))
    real_vllm.start()
    went_on(api, episode)
    tab.close()
    api.close()
    web.stop()
