"""A body beyond the limit is refused while it arrives, and nothing of it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from stet.common.body_limit import BodyLimit


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def ask(chunks: Iterator[bytes], length: int | None = None) -> tuple[int, bytes]:
    """Status and body of the answer to a request that arrives in chunks."""
    headers = [] if length is None else [(b"content-length", str(length).encode())]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        chunk = next(chunks, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await BodyLimit(echo, limit=1000)({"type": "http", "headers": headers}, receive, send)
    return sent[0]["status"], sent[1]["body"]


async def test_a_body_within_the_limit_passes() -> None:
    assert await ask(iter([b"x" * 600, b"y" * 400])) == (200, b"x" * 600 + b"y" * 400)


@pytest.mark.parametrize("length", [None, 10, 5000])
async def test_a_body_beyond_it_is_413_whatever_length_it_says(length: int | None) -> None:
    status, body = await ask(iter([b"x" * 500] * 10), length)
    assert (status, orjson.loads(body)["code"]) == (413, "too_large")


async def test_a_client_without_end_is_left() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 2**24

    status, _body = await ask(endless())
    assert status == 413
