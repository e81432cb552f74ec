"""A bare ASGI server that relays a completion stream byte by byte: what nothing can undercut."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
UPSTREAM = os.environ.get("UPSTREAM", "")
sessions: list[aiohttp.ClientSession] = []


async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Pass each POST on to the upstream, and what comes back to the client as it comes."""
    if scope["type"] != "http":
        return await lifespan(receive, send)
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    head = [(b"content-type", b"text/event-stream")]
    if scope["method"] != "POST":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        return None
    headers = {"Content-Type": "application/json"}
    url = UPSTREAM + scope["path"]
    async with sessions[0].post(url, data=body, headers=headers) as answer:
        await send({"type": "http.response.start", "status": answer.status, "headers": head})
        async for data in answer.content.iter_any():
            await send({"type": "http.response.body", "body": data, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
    return None


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            connector = aiohttp.TCPConnector(limit=0)
            sessions.append(aiohttp.ClientSession(connector=connector, auto_decompress=False))
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await sessions[0].close()
            await send({"type": "lifespan.shutdown.complete"})
            return
