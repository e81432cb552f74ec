"""Whether this process may look ahead now: a bounded number, and never before other people."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable

from django.conf import settings

from stet.policies.samplers.base import Sampler, SamplerError
from stet.traces.streams.live import Live

# vLLM serves lower numbers first, and preempts higher ones.
LOW_PRIORITY = 100
LOOK_EVERY = 2.0
log = logging.getLogger(__name__)


class Gate:
    """Counts the look-aheads of a process, and knows whether requests wait at the model server."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._looked = 0.0
        self._waiting = 0
        self._refused = False
        self._task: asyncio.Task[None] | None = None

    def room(self, lives: Iterable[Live]) -> int:
        """How many look-aheads may begin now; from any thread."""
        running = list(lives)
        if self._refused or self._waiting:
            return 0
        if any(live.request.ahead_in is None and not live.received for live in running):
            # Somebody waits for a first token: the prompt that is being read comes first.
            return 0
        ahead = sum(1 for live in running if live.request.ahead_in is not None)
        return max(0, settings.LOOKAHEADS - ahead)

    def asked(self) -> None:
        """Somebody asked: look at the model server's queue again, if the last look is old."""
        now = time.monotonic()
        if now - self._looked >= LOOK_EVERY and (self._task is None or self._task.done()):
            self._looked = now
            self._task = asyncio.create_task(self._look(), name="stet-queue")

    async def _look(self) -> None:
        try:
            self._waiting = await self._sampler.waiting()
        except SamplerError:
            self._waiting = 0

    def refuse(self, reason: str) -> None:
        """The server takes no low priority: then nobody is to be held up by a look-ahead."""
        if not self._refused:
            log.warning("no look-ahead from now on, the model server refused it: %s", reason)
        self._refused = True

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
