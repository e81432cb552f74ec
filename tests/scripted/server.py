"""Starts the scripted model server: `python -m tests.scripted.server --port 8100`, or in a test."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import uvloop

from tests.scripted.app import App, Options
from tests.scripted.folder import write_folder
from tests.scripted.http import Connection


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens: its address, and the app behind it to set modes and read requests."""

    url: str
    app: App


@asynccontextmanager
async def serving(app: App, *, port: int = 0) -> AsyncIterator[Running]:
    """Listen on the running loop; port 0 takes a free one."""
    loop = asyncio.get_running_loop()
    open_now: list[Connection] = []

    def connection() -> Connection:
        open_now[:] = [one for one in open_now if not one.closed]
        open_now.append(Connection(app.route))
        return open_now[-1]

    server = await loop.create_server(connection, "127.0.0.1", port, backlog=1024)
    try:
        yield Running(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", app)
    finally:
        server.close()
        for one in open_now:
            if not one.closed:
                one.transport.abort()
        await server.wait_closed()


@contextmanager
def threaded(app: App, *, port: int = 0) -> Iterator[Running]:
    """Serve from a thread of its own, for tests that are not async."""
    started: list[Running] = []
    ready, stop = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        async with serving(app, port=port) as running:
            started.append(running)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), name="scripted", daemon=True)
    thread.start()
    if not ready.wait(10):
        raise RuntimeError("the scripted server did not start")
    try:
        yield started[0]
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join(10)


async def _forever(app: App, port: int) -> None:
    async with serving(app, port=port) as running:
        sys.stdout.write(running.url + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="a model folder; else a small one is made")
    for option in fields(Options):
        kind = type(option.default) if option.default is not None else str
        flag = f"--{option.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=option.default)
    given = vars(parser.parse_args())
    port, folder = given.pop("port"), given.pop("folder")
    with tempfile.TemporaryDirectory(prefix="scripted-") as made:
        app = App(folder or write_folder(Path(made)), Options(**given))
        try:
            uvloop.run(_forever(app, port))
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
