"""The sampler against the real vLLM."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from stet.policies.samplers.base import ModelRefused, Piece
from stet.policies.samplers.body import completion_body
from stet.policies.samplers.vllm import VllmSampler
from stet.policies.sampling import Sampling
from stet.stack.parts import Vllm
from tests.scripted.shape import REAL_COUNTS, REAL_FIRST, REAL_NEXT, shape
from tests.scripted.use import read

pytestmark = pytest.mark.vllm
PROMPT = [1, 4093, 198, 6004, 2, 198, 1, 520, 9531, 198]


@pytest.fixture
async def sampler(real_vllm: Vllm) -> AsyncIterator[VllmSampler]:
    sampler = VllmSampler(real_vllm.url)
    yield sampler
    await sampler.aclose()


@pytest.fixture
async def model(sampler: VllmSampler) -> str:
    state = await sampler.health()
    assert state.ready
    return state.models[0].name


async def test_its_events_have_the_shape_that_the_scripted_server_sends(
    sampler: VllmSampler, model: str
) -> None:
    body = completion_body(PROMPT, Sampling(max_tokens=4), model=model)
    raw = await sampler._http.fetch("POST", "/v1/completions", body)
    found = [shape(event + b"\n\n") for event in raw.split(b"\n\n") if event]
    named = [text.replace(f'"model":"{model}"', '"model":"m"') for text in found]
    assert named[0] == REAL_FIRST
    assert named[1:-3] == [REAL_NEXT] * (len(named) - 4)
    reason = r'"finish_reason":"(stop|length)"'
    assert re.sub(reason, '"finish_reason":null', named[-3]) == REAL_NEXT
    assert re.sub(r',"prompt_tokens_details":\{[^}]*\}', "", named[-2]) == re.sub(
        r',"prompt_tokens_details":\{[^}]*\}', "", REAL_COUNTS
    )
    assert named[-1] == "data: [DONE]\n\n"


async def test_a_seed_gives_the_same_tokens_again(sampler: VllmSampler, model: str) -> None:
    sampling = Sampling(max_tokens=8, seed=5)
    first, _ = await read(sampler, PROMPT, model=model, sampling=sampling)
    again, _ = await read(sampler, PROMPT, model=model, sampling=sampling)
    assert [piece.ids for piece in first] == [piece.ids for piece in again]


async def test_a_hot_sample_falls_outside_its_candidates(sampler: VllmSampler, model: str) -> None:
    sampling = Sampling(max_tokens=16, temperature=2, seed=3)
    pieces, _ = await read(sampler, PROMPT, model=model, sampling=sampling)
    outside = [piece for piece in pieces if piece.ids[0] not in piece.candidate_ids[:20]]
    assert outside
    assert all(piece.logprobs[0] <= piece.candidate_logprobs[19] for piece in outside)


async def test_what_top_k_cuts_is_minus_infinity(sampler: VllmSampler, model: str) -> None:
    if await sampler.logprobs_mode(model) != "processed_logprobs":
        pytest.skip("the server does not show what it cuts")
    sampling = Sampling(max_tokens=2, top_k=1)
    pieces, _ = await read(sampler, PROMPT, model=model, sampling=sampling)
    for piece in pieces:
        assert piece.logprobs[0] == 0.0
        assert set(piece.candidate_logprobs[1:20]) == {-math.inf}


async def test_an_id_outside_the_vocabulary_is_refused(sampler: VllmSampler, model: str) -> None:
    with pytest.raises(ModelRefused, match="out of vocabulary"):
        await read(sampler, [99_999_999], model=model)


async def test_closing_a_stream_ends_it_on_the_server(sampler: VllmSampler, model: str) -> None:
    before = await running(sampler)
    sampling = Sampling(max_tokens=2000, temperature=2)
    async with aclosing(sampler.stream(PROMPT, sampling, model=model)) as items:
        async for item in items:
            assert isinstance(item, Piece)
            break
    for _ in range(100):
        if (after := await running(sampler)) <= before:
            break
        await asyncio.sleep(0.1)
    assert after <= before


async def running(sampler: VllmSampler) -> float:
    text = (await sampler._http.fetch("GET", "/metrics")).decode()
    return float(re.findall(r"vllm:num_requests_running\{.*\} (\S+)", text)[0])
