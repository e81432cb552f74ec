"""What a model server says of itself, and what it is asked beside streams."""

from __future__ import annotations

from pathlib import Path

import pytest

from stet.common.errors import Invalid
from stet.policies.samplers.base import ModelRefused, SamplerError
from stet.policies.samplers.vllm import VllmSampler
from tests.scripted.use import played, read, small_folder


async def test_health_names_version_and_models() -> None:
    async with played() as (_, sampler):
        state = await sampler.health()
    assert state.ready
    assert state.version == "0.32.0"
    assert [(m.name, m.root, m.max_len) for m in state.models] == [
        ("scripted", str(small_folder()), 32768)
    ]
    assert state.logprobs_mode is None


@pytest.mark.parametrize("mode", ["processed_logprobs", "raw_logprobs"])
async def test_one_token_tells_the_mode_of_the_numbers(mode: str) -> None:
    async with played(logprobs_mode=mode) as (_, sampler):
        assert (await sampler.health(probe="scripted")).logprobs_mode == mode


async def test_a_server_that_is_gone_is_not_ready() -> None:
    sampler = VllmSampler("http://127.0.0.1:1")
    try:
        assert not (await sampler.health()).ready
    finally:
        await sampler.aclose()


async def test_text_and_messages_are_tokenized() -> None:
    async with played() as (app, sampler):
        plain = await sampler.tokenize("a <|im_end|>", model="scripted")
        turn = await sampler.tokenize([{"role": "user", "content": "a"}], model="scripted")
    assert plain == app.script.tokenizer.encode("a <|im_end|>")
    assert turn[0] == 1
    assert app.script.tokenizer.text_of(turn).endswith("assistant\n")


async def test_an_adapter_is_served_under_its_name(tmp_path: Path) -> None:
    async with played() as (_, sampler):
        await sampler.load_adapter("letters-2", str(tmp_path))
        await sampler.load_adapter("letters-2", str(tmp_path))
        base, _end = await read(sampler)
        pieces, _end = await read(sampler, model="letters-2")
        names = [(m.name, m.parent) for m in await sampler.models()]
    assert names == [("scripted", None), ("letters-2", "scripted")]
    assert [p.ids for p in pieces] != [p.ids for p in base]


async def test_an_adapter_name_cannot_change_its_folder(tmp_path: Path) -> None:
    async with played() as (_, sampler):
        await sampler.load_adapter("letters-2", str(tmp_path))
        with pytest.raises(ModelRefused, match="already been loaded"):
            await sampler.load_adapter("letters-2", str(tmp_path.parent))
        with pytest.raises(ModelRefused):
            await sampler.load_adapter("letters-3", str(tmp_path / "absent"))
        with pytest.raises(ValueError, match="name"):
            await sampler.load_adapter("../x", str(tmp_path))


async def test_the_key_goes_along_and_a_wrong_one_is_refused() -> None:
    async with played(api_key="right") as (app, sampler):
        await read(sampler)
        wrong = VllmSampler(sampler._http.url, "wrong")
        with pytest.raises(SamplerError) as caught:
            await read(wrong)
    assert caught.value.code == "model_refused"
    assert "wrong" not in caught.value.detail
    assert len(app.bodies()) == 1


async def test_an_unknown_model_is_refused_in_the_server_s_words() -> None:
    async with played() as (_, sampler):
        with pytest.raises(ModelRefused, match="The model nobody does not exist"):
            await read(sampler, model="nobody")


@pytest.mark.parametrize(
    "url",
    ["", "ftp://host", "http://", "http://user:pw@host", "http://host/?q=1", "file:///etc/passwd"],
)
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(Invalid) as caught:
        VllmSampler(url)
    assert caught.value.code == "bad_url"
