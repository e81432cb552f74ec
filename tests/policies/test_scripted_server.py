"""The scripted server speaks like the real one and keeps its times."""

from __future__ import annotations

import asyncio
import json
import time
from itertools import islice

import aiohttp
import pytest

from stet.policies.samplers.body import completion_body
from stet.policies.sampling import Sampling
from tests.scripted.app import App, Options
from tests.scripted.events import events
from tests.scripted.script import Script
from tests.scripted.server import threaded
from tests.scripted.shape import REAL_COUNTS, REAL_FIRST, REAL_LAST, REAL_NEXT, shape
from tests.scripted.use import PROMPT, played, read, small_folder


@pytest.fixture(scope="module")
def script() -> Script:
    return Script(small_folder(), tokens=400)


def test_events_have_the_shape_of_the_real_server(script: Script) -> None:
    body = completion_body(PROMPT, Sampling(), model="m")
    parts, reason = script.play(body)
    made = list(events(body, parts, reason, created=1796055917))
    shapes = [shape(event) for event in made]
    assert shapes[0] == REAL_FIRST
    assert set(shapes[1:-3]) == {REAL_NEXT}
    assert shapes[-3:] == [REAL_LAST, REAL_COUNTS, "data: [DONE]\n\n"]
    sizes = [len(event) for event in made[:-2]]
    assert 900 < sum(sizes) / len(sizes) < 1200


def test_offsets_grow_by_the_names_of_the_tokens(script: Script) -> None:
    body = completion_body(PROMPT, Sampling(), model="m")
    parts, reason = script.play(body)
    offset = 0
    for event in islice(events(body, parts, reason, created=0), 400):
        numbers = json.loads(event[6:])["choices"][0]["logprobs"]
        assert numbers["text_offset"] == [offset]
        offset += len(numbers["tokens"][0])


def test_candidates_are_lawful_and_sometimes_miss_the_sampled_token(script: Script) -> None:
    body = completion_body(PROMPT, Sampling(), model="m")
    lengths = set()
    for part in script.play(body)[0]:
        start = part.after.index(b'"top_logprobs":[') + 16
        top = json.loads(part.after[start : part.after.index(b"]}", start)])
        rest = list(top.values())[1:]
        assert rest == sorted(rest, reverse=True)
        lengths.add(len(top))
    assert lengths == {20, 21}


def test_the_answer_depends_on_prompt_seed_and_model(script: Script) -> None:
    def ids(prompt: list[int], seed: int | None = None, model: str = "m") -> list[int]:
        body = completion_body(prompt, Sampling(seed=seed), model=model)
        return [part.token_id for part in script.play(body)[0]]

    assert ids([1, 2]) == ids([1, 2])
    others = [ids([1, n]) for n in range(3, 9)] + [ids([1, 2], n) for n in range(5)]
    assert len({tuple(row) for row in others}) > 5


def test_text_is_readable_and_holds_split_characters(script: Script) -> None:
    body = completion_body(PROMPT, Sampling(), model="m")
    whole, text = b"", ""
    for event in list(events(body, *script.play(body), created=0))[:-2]:
        choice = json.loads(event[6:])["choices"][0]
        whole += script.tokenizer.token_bytes(choice["token_ids"][0])
        text += choice["text"]
    assert text == whole.removesuffix(b"<|im_end|>").decode()


async def test_times_do_not_drift() -> None:
    took = []
    async with played(tokens=100, ttft_ms=50, itl_ms=5) as (_, sampler):
        for _number in range(4):
            began = time.monotonic()
            await read(sampler)
            took.append(time.monotonic() - began)
    # One late token is noise; a clock that starts anew at each token would be late every time.
    assert 0.54 < min(took) < 0.62


def test_modes_and_requests_are_reached_over_http() -> None:
    app = App(small_folder(), Options(tokens=3, itl_ms=1))
    with threaded(app) as running:
        _over_http(running.url)


def _over_http(url: str) -> None:

    async def run() -> None:
        body = completion_body(PROMPT, Sampling(), model="scripted")
        async with aiohttp.ClientSession(url) as session:
            await session.post("/_mode", json={"mode": "500", "times": 1})
            assert (await session.post("/v1/completions", json=body)).status == 500
            async with session.post("/v1/completions", json=body) as response:
                assert response.content_type == "text/event-stream"
                assert (await response.read()).endswith(b"data: [DONE]\n\n")
            async with session.get("/metrics") as response:
                assert 'num_requests_running{engine="0",model_name="scripted"} 0.0' in (
                    await response.text()
                )
            async with session.get("/_requests") as response:
                assert [row["body"] for row in await response.json()] == [body, body]
            await session.delete("/_requests")
            async with session.get("/_requests") as response:
                assert await response.json() == []
            assert (await session.post("/_mode", json={"mode": "unheard of"})).status == 400

    asyncio.run(run())


async def test_it_says_exactly_the_ids_that_it_is_told() -> None:
    async with played() as (app, sampler):
        eos = app.script.eos
        for ids, reason in (([3, 4, 5, eos], "stop"), ([6, 7], "length")):
            app.said.append(ids)
            pieces, end = await read(sampler, sampling=Sampling(max_tokens=9))
            assert [i for piece in pieces for i in piece.ids] == ids
            assert end.finish_reason == reason
