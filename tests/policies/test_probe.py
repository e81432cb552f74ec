"""The probes of a start, against servers that speak /tokenize and are made here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tokenizers import Tokenizer as Library

from stet.common.errors import StetError
from stet.policies.chat import load_chat_template
from stet.policies.probe import PROBES, check_tokenizer
from stet.policies.tokenizer import load_tokenizer
from tests.policies.folders import CHATML, byte_level

NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('none') }}{% endif %}" + CHATML
Answer = Callable[[dict[str, Any]], Awaitable[web.Response]]


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[str]:
    async def tokenize(request: web.Request) -> web.Response:
        return await answer(await request.json())

    app = web.Application()
    app.router.add_post("/tokenize", tokenize)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def honest(folder: Path, *, systems: bool = True) -> Answer:
    """Answers as a model server does for a ChatML folder."""
    library = Library.from_file(str(folder / "tokenizer.json"))

    async def answer(asked: dict[str, Any]) -> web.Response:
        assert asked["model"] == "small"
        if "prompt" in asked:
            text = asked["prompt"]
        elif asked["messages"][0]["role"] == "system" and not systems:
            return web.json_response({"error": {"message": "none"}}, status=400)
        else:
            turns = [
                f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in asked["messages"]
            ]
            text = "".join(turns) + "<|im_start|>assistant\n"
        return web.json_response({"tokens": library.encode(text, add_special_tokens=False).ids})

    return answer


async def check(url: str, folder: Path, **options: Any) -> None:
    tokenizer, chat = load_tokenizer(folder), load_chat_template(folder)
    await check_tokenizer(url, "small", tokenizer, chat, **options)


def test_there_are_twenty_probes_of_both_kinds() -> None:
    assert len(PROBES) == 20
    assert {type(probe) for probe in PROBES} == {str, list}


async def test_an_equal_server_passes(tmp_path: Path) -> None:
    folder = byte_level(tmp_path)
    async with server(honest(folder)) as url:
        await check(f"{url}/", folder)
        await check_tokenizer(url, "small", load_tokenizer(folder), None)


async def test_a_template_that_both_sides_refuse_passes(tmp_path: Path) -> None:
    folder = byte_level(tmp_path, NO_SYSTEM)
    async with server(honest(folder, systems=False)) as url:
        await check(url, folder)


@pytest.mark.parametrize(
    ("ours", "systems", "probe", "reason"),
    [
        ("{{ ' ' }}" + CHATML, True, 15, "first difference at"),
        (NO_SYSTEM, True, 18, "the chat template here refuses it"),
        (CHATML, False, 18, "the server refuses it"),
    ],
)
async def test_a_difference_is_named(
    tmp_path: Path, ours: str, systems: bool, probe: int, reason: str
) -> None:
    folder = byte_level(tmp_path, ours)
    async with server(honest(folder, systems=systems)) as url:
        with pytest.raises(StetError, match=reason) as error:
            await check(url, folder)
    assert (error.value.code, error.value.status) == ("tokenizer_mismatch", 422)
    assert error.value.extra["probe"] == probe
    assert f"probe {probe}," in error.value.detail


async def test_a_server_that_tells_no_tokens_differs(tmp_path: Path) -> None:
    async def answer(asked: dict[str, Any]) -> web.Response:
        return web.Response(text="[]")

    async with server(answer) as url:
        with pytest.raises(StetError, match="holds no tokens"):
            await check(url, byte_level(tmp_path))


async def test_a_server_that_fails_is_not_a_difference(tmp_path: Path) -> None:
    folder = byte_level(tmp_path)

    async def broken(asked: dict[str, Any]) -> web.Response:
        return web.Response(status=502, text="away")

    async def slow(asked: dict[str, Any]) -> web.Response:
        await asyncio.sleep(0.6)
        return web.json_response({"tokens": []})

    async with server(broken) as url:
        with pytest.raises(StetError) as failing:
            await check(url, folder)
    with pytest.raises(StetError) as gone:
        await check(url, folder)
    async with server(slow) as url:
        with pytest.raises(StetError) as late:
            await check(url, folder, timeout_s=0.2)
    assert [e.value.code for e in (failing, gone, late)] == [
        "model_unreachable",
        "model_unreachable",
        "model_slow",
    ]
