"""A proxy between a browser and the site that loses requests and answers as a bad network does."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from dataclasses import dataclass, field

LOOPBACK = "127.0.0.1"
BAD_GATEWAY = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 24\r\n"
    b"Connection: close\r\n\r\n<h1>502 Bad Gateway</h1>"
)
FAULTS = ("drop", "502", "lost", "502 after", "half", "slow")
"""``drop`` and ``502`` never reach the site; ``lost``, ``502 after`` and ``half`` do, but their
answers are lost, replaced or cut in the middle of the body; ``slow`` comes late."""
SLOW_SECONDS = 0.8


@dataclass
class Exchange:
    """A request with an Idempotency-Key and what became of it; ``answer`` is what the site said."""

    key: str
    path: str
    body: bytes
    fault: str = ""
    status: int | None = None
    answer: bytes = b""
    delivered: bool = False


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    head: bytes
    body: bytes = b""


@dataclass
class FaultProxy:
    """``fail`` plans faults of the next acts, ``down`` cuts the line; ``seen`` are all acts."""

    port: int
    seen: list[Exchange] = field(default_factory=list)
    down: bool = False

    def __post_init__(self) -> None:
        self._faults: deque[str] = deque()
        self._tunnels: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(started)), daemon=True)
        self._thread.start()
        assert started.wait(10)

    def fail(self, *faults: str) -> None:
        """Let each of the next acts fail in its own way."""
        assert set(faults) <= set(FAULTS), faults
        self._faults.extend(faults)

    def heal(self) -> None:
        """From now on everything passes."""
        self._faults.clear()
        self.down = False

    def cut_sockets(self) -> None:
        """Break the open web sockets."""
        self._loop.call_soon_threadsafe(lambda: [one.transport.abort() for one in self._tunnels])

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(10)

    async def _run(self, started: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._client, LOOPBACK, 0) as server:
            self.url = f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"
            started.set()
            await self._ended.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                request = await parse(reader)
                if not self.down:
                    await self._serve(request, reader, writer)
        finally:
            writer.transport.abort() if self.down else writer.close()

    async def _serve(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        key = request.headers.get("idempotency-key")
        exchange = Exchange(key or "", request.path, request.body)
        if key:
            exchange.fault = self._faults.popleft() if self._faults else ""
            self.seen.append(exchange)
        if exchange.fault in {"drop", "502"}:
            writer.write(BAD_GATEWAY if exchange.fault == "502" else b"")
            return
        if exchange.fault == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        site_reader, site_writer = await asyncio.open_connection(LOOPBACK, self.port)
        try:
            site_writer.write(request.head + request.body)
            if request.headers.get("upgrade"):
                await self._tunnel((reader, site_writer), (site_reader, writer))
            elif not key:
                await copy(site_reader, writer)
            else:
                await self._answer(exchange, await site_reader.read(-1), writer)
        finally:
            site_writer.close()

    async def _answer(
        self, exchange: Exchange, answer: bytes, writer: asyncio.StreamWriter
    ) -> None:
        head, _, exchange.answer = answer.partition(b"\r\n\r\n")
        exchange.status = int(head.split(b" ", 2)[1])
        if exchange.fault == "half":
            writer.write(head + b"\r\n\r\n" + exchange.answer[: len(exchange.answer) // 2])
        elif exchange.fault == "502 after":
            writer.write(BAD_GATEWAY)
        elif exchange.fault != "lost" and not self.down:
            writer.write(answer)
            await writer.drain()
            exchange.delivered = True

    async def _tunnel(self, *ways: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        writers = [writer for _, writer in ways]
        self._tunnels.update(writers)
        tasks = [asyncio.ensure_future(copy(*way)) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for writer in writers:
                writer.transport.abort()
            self._tunnels.difference_update(writers)


async def parse(reader: asyncio.StreamReader) -> Request:
    """The next request; its connection to the site ends with the answer."""
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
    method, path, _ = lines[0].split(" ", 2)
    pairs = (line.partition(":") for line in lines[1:])
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    if "upgrade" not in headers:
        lines = [line for line in lines if not line.lower().startswith("connection:")]
        lines.append("Connection: close")
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return Request(method, path, headers, head, body)


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Everything that is read is written, until the end or a broken line."""
    with contextlib.suppress(OSError):
        while block := await reader.read(65536):
            writer.write(block)
            await writer.drain()
