"""HTTP/1.1 with nothing to spare: one object per connection, answers written as bytes."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from http import HTTPStatus
from typing import cast

import httptools

Route = Callable[["Connection", str, str, bytes], None]


class Connection(asyncio.Protocol):
    """Reads requests and hands each to ``route(connection, method, path, body)``."""

    transport: asyncio.Transport

    def __init__(self, route: Route) -> None:
        self._route = route
        self.closed = False
        self.lost: Callable[[], None] | None = None
        self.writable = True
        self.headers: dict[str, str] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._parser = httptools.HttpRequestParser(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        if self.lost is not None:
            self.lost()

    def pause_writing(self) -> None:
        self.writable = False

    def resume_writing(self) -> None:
        self.writable = True

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.transport.close()

    def on_message_begin(self) -> None:
        self._url, self._body, self.headers = b"", b"", {}

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        method = self._parser.get_method().decode()
        self._route(self, method, self._url.decode().split("?")[0], self._body)

    def answer(self, body: bytes, *, status: int = 200, kind: str = "application/json") -> None:
        """A whole answer."""
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nserver: scripted\r\n"
            f"content-length: {len(body)}\r\ncontent-type: {kind}\r\n\r\n"
        )
        self.transport.write(head.encode() + body)

    def begin(self) -> None:
        """The head of a stream of events."""
        self.transport.write(
            b"HTTP/1.1 200 OK\r\nserver: scripted\r\n"
            b"content-type: text/event-stream; charset=utf-8\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )

    def chunk(self, data: bytes) -> None:
        """A piece of the stream; empty data ends it."""
        self.transport.write(b"%x\r\n%b\r\n" % (len(data), data))

    def reset(self) -> None:
        """Drop the connection so that the other side sees a reset, not an end."""
        own = self.transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
