"""The real model server: its ids for many conversations, and the probes of a start."""

from __future__ import annotations

import json
import random
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from stet.common.errors import StetError
from stet.policies.chat import load_chat_template
from stet.policies.probe import check_tokenizer
from stet.policies.tokenizer import load_tokenizer
from stet.stack.parts import Vllm
from tests.policies.folders import byte_level, model_folder

pytestmark = pytest.mark.vllm
BITS = [
    "hello",
    " ",
    "\n",
    "\n\n",
    "中文",
    "😀",
    "👩‍👩‍👧",
    "שלום",
    "\t",
    "a" * 30,
    '{"a": 1}',
    "1",
    "<",
]
BITS += ["|>", "\ue000", "\ue001", "e\u0301", "\u3000", "def f():\n    pass", "\x00", "</think>"]
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": "x"}'}}


@pytest.fixture(scope="module")
def url(real_vllm: Vllm) -> str:
    return real_vllm.url


@pytest.fixture(scope="module")
def model(url: str) -> str:
    with urllib.request.urlopen(f"{url}/v1/models", timeout=30) as answer:
        return str(json.load(answer)["data"][0]["id"])


def conversations(count: int) -> Iterator[list[dict[str, Any]]]:
    draw = random.Random(7)

    def text() -> str:
        return "".join(draw.choices(BITS, k=draw.randrange(8)))

    for _ in range(count):
        messages: list[dict[str, Any]] = []
        if draw.random() < 0.4:
            messages.append({"role": "system", "content": text()})
        for n in range(draw.randrange(1, 6)):
            message: dict[str, Any] = {"role": ("user", "assistant")[n % 2], "content": text()}
            kind = draw.random()
            if kind < 0.1:
                message["content"] = [{"type": "text", "text": text()} for _ in range(2)]
            elif kind < 0.2 and n % 2:
                message |= {"content": None, "tool_calls": [CALL]}
            elif kind < 0.3 and n % 2 == 0:
                message |= {"role": "tool", "tool_call_id": "a"}
            messages.append(message)
        if draw.random() < 0.1:
            messages.insert(draw.randrange(len(messages)), {"role": "developer", "content": text()})
        yield messages


def test_two_hundred_conversations_are_the_servers(url: str, model: str) -> None:
    chat = load_chat_template(model_folder())
    for messages in conversations(200):
        body = json.dumps({"model": model, "messages": messages}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/tokenize", body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert chat.render(messages).ids == json.load(answer)["tokens"], messages


async def test_the_servers_own_folder_passes_the_probes(url: str, model: str) -> None:
    folder = model_folder()
    await check_tokenizer(url, model, load_tokenizer(folder), load_chat_template(folder))


async def test_another_folder_does_not(
    url: str, model: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = byte_level(tmp_path_factory.mktemp("other"))
    with pytest.raises(StetError, match="probe 1") as error:
        await check_tokenizer(url, model, load_tokenizer(folder), load_chat_template(folder))
    assert error.value.code == "tokenizer_mismatch"
