"""A lean HTTP/1.1 client: one kept connection, so that the client is never what is measured."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self, cast
from urllib.parse import urlsplit

import httptools
import orjson

clock = time.perf_counter


@dataclass
class Trace:
    """A stream as its reader saw it: when it was asked for, and when each token came."""

    sent: float
    arrivals: list[float] = field(default_factory=list)

    @property
    def first(self) -> float:
        """Seconds from the request to the first token."""
        return self.arrivals[0] - self.sent

    @property
    def seconds(self) -> float:
        """Seconds from the request to the last token."""
        return self.arrivals[-1] - self.sent

    def gaps(self) -> list[float]:
        """Seconds between neighbouring tokens."""
        return [after - before for before, after in pairwise(self.arrivals)]


class Refused(RuntimeError):
    """The server answered with an error."""


class Link(asyncio.Protocol):
    """One connection to one server, one request at a time."""

    transport: asyncio.Transport

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._where = urlsplit(url)
        self._head = "".join(f"{key}: {value}\r\n" for key, value in headers.items())
        self._answer: asyncio.Future[bytes] | None = None
        self._trace: Trace | None = None
        self._body = b""

    @classmethod
    async def open(cls, url: str, headers: dict[str, str] | None = None) -> Self:
        link = cls(url, headers or {})
        await link._connect()
        return link

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self, self._where.hostname, self._where.port)

    def close(self) -> None:
        self.transport.close()

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The parsed answer of a JSON request. Raises Refused."""
        return orjson.loads(await self._send(method, path, body, headers) or b"null")

    async def stream(self, path: str, body: dict[str, Any], *, only_first: bool = False) -> Trace:
        """Read a stream of completion events; with ``only_first`` up to its first token."""
        self._trace = trace = Trace(clock())
        self._only_first = only_first
        await self._send("POST", path, body, {})
        self._trace = None
        return trace

    async def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> bytes:
        if self.transport.is_closing():
            # Servers close a connection that was quiet for some seconds.
            await self._connect()
        data = b"" if body is None else orjson.dumps(body)
        more = "".join(f"{key.replace('_', '-')}: {value}\r\n" for key, value in headers.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: {self._where.netloc}\r\n{self._head}{more}"
            f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
        )
        self._parser = httptools.HttpResponseParser(self)
        self._body = b""
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(head.encode() + data)
        answer = await self._answer
        if self._parser.get_status_code() >= 400:
            raise Refused(f"{method} {path}: {answer[:500].decode(errors='replace')}")
        return answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._settle(Refused("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        if self._answer is not None and not self._answer.done():
            self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._body += body
        if self._trace is None:
            return
        whole, mark, rest = self._body.rpartition(b"\n\n")
        if not mark:
            return
        self._body = rest
        if count := whole.count(b'"token_ids":['):
            self._trace.arrivals.extend([clock()] * count)
            if self._only_first:
                self.transport.abort()
                self._settle(None)

    def on_message_complete(self) -> None:
        self._settle(None)

    def _settle(self, error: Exception | None) -> None:
        if self._answer is None or self._answer.done():
            return
        if error is not None:
            self._answer.set_exception(error)
        else:
            self._answer.set_result(self._body)
