"""Whole streams from a server that behaves, and from one that does not."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import aclosing
from typing import Any

import pytest

from stet.policies.samplers import vllm
from stet.policies.samplers.base import Piece, SamplerError
from stet.policies.samplers.http import session
from stet.policies.samplers.vllm import VllmSampler
from stet.policies.sampling import Sampling
from tests.scripted.use import PROMPT, played, read


def ids_of(pieces: list[Piece]) -> list[int]:
    return [token_id for piece in pieces for token_id in piece.ids]


async def test_a_stream_gives_all_tokens_then_its_end() -> None:
    async with played(tokens=30) as (app, sampler):
        pieces, end = await read(sampler, vocab_size=app.script.vocab_size)
        again, _ = await read(sampler)
    ids = ids_of(pieces)
    assert len(ids) == 30
    assert ids == ids_of(again)
    assert ids[-1] == app.script.eos
    assert end.finish_reason == "stop"
    assert end.usage == {
        "prompt_tokens": len(PROMPT),
        "completion_tokens": 30,
        "total_tokens": len(PROMPT) + 30,
        "cached_tokens": 0,
    }
    assert end.fingerprint == "vllm-0.32.0-scripted"


async def test_a_stream_that_is_cut_by_its_limit_says_so() -> None:
    async with played(tokens=30) as (_, sampler):
        pieces, end = await read(sampler, sampling=Sampling(max_tokens=5))
    assert len(ids_of(pieces)) == 5
    assert end.finish_reason == "length"


@pytest.mark.parametrize("mode", ["split", "crlf", "no_done"])
async def test_a_stream_survives(mode: str) -> None:
    async with played() as (app, sampler):
        good, _ = await read(sampler)
        app.set_mode(mode)
        pieces, end = await read(sampler)
    assert ids_of(pieces) == ids_of(good)
    assert end.finish_reason == "stop"


@pytest.mark.parametrize(
    ("mode", "code", "kept"),
    [
        ("500", "model_broken", 0),
        ("503", "model_unreachable", 0),
        ("400", "model_refused", 0),
        ("refused", "model_refused", 3),
        ("error", "model_lost", 3),
        ("truncated", "model_lost", 3),
        ("cut", "model_lost", 3),
        ("reset", "model_lost", 3),
        ("no_end", "model_lost", 7),
        ("half_utf8", "model_broken", 3),
        ("bad_json", "model_broken", 3),
        ("duplicate", "model_broken", 4),
        ("wrong_id", "model_broken", 3),
        ("other_id", "model_broken", 3),
        ("nan", "model_broken", 3),
        ("bare_nan", "model_broken", 3),
        ("hang", "model_slow", 3),
    ],
)
async def test_a_fault_keeps_what_came_before_and_no_more(mode: str, code: str, kept: int) -> None:
    got: list[Piece] = []
    async with played() as (app, sampler):
        good, _ = await read(sampler)
        app.set_mode(mode, after=3)
        with pytest.raises(SamplerError) as caught:
            await read(sampler, got=got, gap_timeout=0.3, vocab_size=app.script.vocab_size)
        app.set_mode("ok")
        await asyncio.sleep(0.05)
        assert app.running == 0
        again, _ = await read(sampler)
    assert caught.value.code == code
    assert caught.value.status in (502, 503, 504)
    assert ids_of(got) == ids_of(good)[:kept]
    assert ids_of(again) == ids_of(good)


async def test_a_first_token_that_does_not_come_is_slow() -> None:
    async with played() as (app, sampler):
        app.set_mode("slow_first", seconds=5)
        with pytest.raises(SamplerError) as caught:
            await read(sampler, first_timeout=0.2)
    assert caught.value.code == "model_slow"


async def test_a_hang_after_the_last_token_is_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm, "TAIL_S", 0.1)
    async with played() as (app, sampler):
        app.set_mode("hang", after=8)
        pieces, end = await read(sampler)
    assert len(ids_of(pieces)) == 8
    assert end.finish_reason == "stop"
    assert end.usage is None


async def test_closing_the_stream_aborts_the_request() -> None:
    async with played(tokens=300, itl_ms=20) as (app, sampler):
        stream = sampler.stream(PROMPT, Sampling(), model="scripted")
        async with aclosing(stream) as items:
            async for _ in items:
                break
            assert app.running == 1
        await asyncio.sleep(0.05)
        assert app.running == 0


async def test_cancelling_the_reader_aborts_the_request() -> None:
    async with played(ttft_ms=5000) as (app, sampler):
        task = asyncio.create_task(read(sampler))
        await asyncio.sleep(0.1)
        assert app.running == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)
        assert app.running == 0


async def test_streams_do_not_mix() -> None:
    prompts = [(1, n) for n in range(40)]
    async with played(tokens=40) as (_, sampler):
        alone = [ids_of((await read(sampler, prompt))[0]) for prompt in prompts]
        together = await asyncio.gather(*(read(sampler, prompt) for prompt in prompts))
    assert [ids_of(pieces) for pieces, _ in together] == alone


async def test_a_finished_stream_gives_its_connection_back() -> None:
    async with played() as (_, sampler):
        for _number in range(5):
            await read(sampler)
        connector: Any = session().connector
        assert sum(len(free) for free in connector._conns.values()) == 1


async def test_nobody_there_is_unreachable_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        sampler = VllmSampler(f"http://127.0.0.1:{taken.getsockname()[1]}")
        began = time.monotonic()
        try:
            with pytest.raises(SamplerError) as caught:
                await read(sampler)
        finally:
            await sampler.aclose()
    assert caught.value.code == "model_unreachable"
    assert time.monotonic() - began < 2
