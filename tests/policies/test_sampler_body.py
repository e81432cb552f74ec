"""What leaves for the model server, and nothing else."""

from __future__ import annotations

import pytest

from stet.policies.samplers.body import completion_body
from stet.policies.sampling import Sampling
from tests.scripted.use import PROMPT, played, read

ALWAYS = {
    "model",
    "prompt",
    "stream",
    "stream_options",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "frequency_penalty",
    "presence_penalty",
    "logprobs",
    "return_token_ids",
    "return_tokens_as_token_ids",
    "skip_special_tokens",
    "add_special_tokens",
    "priority",
}


async def test_the_body_that_arrives_has_exactly_the_allowed_fields() -> None:
    async with played() as (app, sampler):
        await read(sampler)
        await read(sampler, sampling=Sampling(seed=0), cache_salt="a1" * 8, priority=3)
    plain, full = app.bodies()
    assert set(plain) == ALWAYS
    assert set(full) == ALWAYS | {"seed", "cache_salt"}
    assert plain["prompt"] == list(PROMPT)
    assert plain["logprobs"] == 20
    assert plain["stream_options"] == {"include_usage": True}
    assert (plain["skip_special_tokens"], plain["add_special_tokens"]) == (False, False)
    assert (full["seed"], full["cache_salt"], full["priority"]) == (0, "a1" * 8, 3)


@pytest.mark.parametrize("salt", ["", "short", "a" * 65, "with a blank 1234", "ümlaut0123456789"])
def test_a_salt_of_another_form_is_not_sent(salt: str) -> None:
    with pytest.raises(ValueError, match="salt"):
        completion_body([1], Sampling(), model="m", cache_salt=salt)


def test_an_empty_prompt_is_not_sent() -> None:
    with pytest.raises(ValueError, match="prompt"):
        completion_body([], Sampling(), model="m")
