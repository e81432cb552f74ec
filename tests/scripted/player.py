"""Writes the steps of one stream at their times, which are fixed when it begins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from tests.scripted.faults import Act, Step
from tests.scripted.http import Connection


class Player:
    """Step n is due at start + ttft + n * itl; a late one never delays those that follow."""

    def __init__(
        self,
        connection: Connection,
        steps: Iterator[Step],
        *,
        ttft: float,
        itl: float,
        ended: Callable[[], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection, self._steps = connection, steps
        self._itl, self._ended = itl, ended
        self._due = self._loop.time() + ttft
        self._running = True
        connection.lost = self._end
        connection.begin()
        self._timer = self._loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        connection = self._connection
        if not self._running:
            return
        if connection.writable:
            step = next(self._steps, Act.END)
            if isinstance(step, Act):
                self._act(step)
                return
            connection.chunk(step)
            if b'"choices":[{' not in step[:200] or b'"finish_reason":"' in step:
                # Only tokens take time: counts, marks and parts of events follow at once.
                self._loop.call_soon(self._tick)
                return
        self._due += self._itl
        self._timer = self._loop.call_at(self._due, self._tick)

    def _act(self, act: Act) -> None:
        if act is Act.HANG:
            return
        if act is Act.END:
            self._connection.chunk(b"")
        elif act is Act.CLOSE:
            self._connection.transport.close()
        else:
            self._connection.reset()
        self._end()

    def _end(self) -> None:
        if self._running:
            self._running = False
            self._connection.lost = None
            self._timer.cancel()
            self._ended()
