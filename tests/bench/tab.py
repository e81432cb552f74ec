"""What a person's tab does, as a program: acts by POST, tokens by the socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self
from uuid import uuid4

import aiohttp
import orjson

from tests.bench.wire import Link, Refused, Trace, clock


@dataclass
class Tab:
    """A signed-in link for acts, and an open socket."""

    link: Link
    socket: aiohttp.ClientWebSocketResponse

    @classmethod
    async def open(cls, session: aiohttp.ClientSession, url: str, key: str) -> Self:
        link = await Link.open(url, {"authorization": f"Token {key}"})
        ticket = await link.call("POST", "/api/v1/ws-tickets", {})
        # Browsers offer to compress, so this client does.
        socket = await session.ws_connect(f"{url}/ws/stream", max_msg_size=0, compress=15)
        await socket.send_bytes(orjson.dumps({"type": "auth", **ticket}))
        tab = cls(link, socket)
        await tab.until("ready")
        return tab

    async def close(self) -> None:
        self.link.close()
        await self.socket.close()

    async def act(self, episode: int, what: str, body: dict[str, Any]) -> Any:
        path = f"/api/v1/episodes/{episode}/{what}"
        return await self.link.call("POST", path, body, idempotency_key=uuid4().hex)

    async def path(self, episode: int) -> Any:
        return await self.link.call("GET", f"/api/v1/episodes/{episode}?view=path")

    async def state(self, episode: int) -> Any:
        return await self.link.call("GET", f"/api/v1/episodes/{episode}")

    async def stop(self, generation: str) -> None:
        await self.link.call("POST", f"/api/v1/generations/{generation}/stop", {})

    async def watch(self, generation: str) -> None:
        message = {"type": "watch", "generation": generation, "after": 0}
        await self.socket.send_bytes(orjson.dumps(message))

    async def next(self) -> dict[str, Any]:
        """The next message of the socket. Raises Refused for an error or a closed socket."""
        message = await self.socket.receive()
        if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            raise Refused(f"the socket ended: {message}")
        body: dict[str, Any] = orjson.loads(message.data)
        if body["type"] == "error":
            raise Refused(str(body))
        return body

    async def until(self, kind: str) -> dict[str, Any]:
        while (message := await self.next())["type"] != kind:
            continue
        return message

    async def answer(self, episode: int, version: int = 0) -> Trace:
        """Continue from the head and read the answer to its end."""
        trace = Trace(clock())
        begun = await self.act(episode, "continue", {"if_head": version})
        await self.watch(begun["generation"]["id"])
        while (message := await self.next())["type"] == "tokens":
            trace.arrivals.extend([clock()] * len(message["rows"]))
        return trace
