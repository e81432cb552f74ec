"""The hub: the one place of a process that reads streams, logs them, and lets others watch.

It lives on the event loop of the web process. Threads reach it through ``submit`` and ``stop``.
Tokens are logged before they are shown, so nothing that was seen can get lost with the process.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID, uuid4

import psycopg
from django.conf import settings
from django.db import Error
from django.utils.translation import activate
from django.utils.translation import gettext as _

from stet.common import changes
from stet.common.errors import Unavailable
from stet.policies.samplers.base import Finish, ModelRefused, Piece, Sampler, SamplerError
from stet.traces import sealing, selectors
from stet.traces.failures import READER_FAILED, SEAL_LATE
from stet.traces.models import Generation
from stet.traces.streams import notices
from stet.traces.streams.changes import Changes
from stet.traces.streams.gate import Gate
from stet.traces.streams.guard import TokenizerGuard
from stet.traces.streams.live import Live, Request
from stet.traces.streams.log import ChunkLog, Ours
from stet.traces.streams.notices import Listener
from stet.traces.streams.replay import replayed
from stet.traces.streams.threads import in_thread

log = logging.getLogger(__name__)
Status = Generation.Status
# Short enough to add no visible gap, long enough that busy streams share a statement.
LOG_INTERVAL = 0.004
HEARTBEAT = 5.0
SWEEP = 3.0
# How long a stream that has ended waits for the commit of the act that asked for it.
COMMIT_TIMEOUT = 5.0


class Hub:
    """Readers, the log pump, heartbeat, sweep and the listener of one process."""

    def __init__(self, sampler: Sampler) -> None:
        self.owner = uuid4()
        self.sampler = sampler
        self.lives: dict[UUID, Live] = {}
        self.changes = Changes()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._log = ChunkLog(self.owner)
        self._listener = Listener()
        self._guard = TokenizerGuard()
        self._gate = Gate(sampler)
        self._dirty: set[UUID] = set()
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to serve on the running loop."""
        self.loop = asyncio.get_running_loop()
        self._tasks = [
            asyncio.create_task(self._pump(), name="stet-log"),
            asyncio.create_task(self._every(HEARTBEAT, self._log_heartbeat), name="stet-heartbeat"),
            asyncio.create_task(self._every(SWEEP, self._sweep), name="stet-sweep"),
            asyncio.create_task(self._listen(), name="stet-listen"),
            asyncio.create_task(self._guard.watch(), name="stet-guard"),
        ]

    async def close(self) -> None:
        """Seal everything that runs here as interrupted, within five seconds."""
        lives = list(self.lives.values())
        for live in lives:
            self.halt(live, Status.INTERRUPTED)
        readers = [live.task for live in lives if live.task is not None]
        if readers:
            await asyncio.wait(readers, timeout=5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._log.close()
        await self._listener.close()
        await self._gate.close()
        await self.sampler.aclose()
        self.loop = None

    # Called from threads ------------------------------------------------------------------

    def check(self) -> None:
        """Raises ``no_stream_owner`` or the tokenizer's refusal when nothing can be sampled."""
        if self.loop is None:
            raise Unavailable(_("This process reads no streams."), code="no_stream_owner")
        if self._guard.refusal is not None:
            raise self._guard.refusal

    def ahead_room(self) -> int:
        """How many look-aheads may begin now."""
        if self.loop is None:
            return 0
        self.loop.call_soon_threadsafe(self._gate.asked)
        return self._gate.room(list(self.lives.values()))

    def drop_ahead(self, episode_id: int) -> None:
        """Stop the look-aheads of an episode that are read here; does not wait for it."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._drop_ahead, episode_id)

    def submit(self, request: Request) -> None:
        """Begin to read a generation whose row is committed."""
        self.ask(request)
        self.release(request.generation_id)

    def ask(self, request: Request) -> None:
        """Begin to read a generation; ``release`` or ``drop`` must follow."""
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self._begin, request)

    def release(self, generation_id: UUID) -> None:
        """The row of a submitted generation is committed: log what arrived, and show it."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._release, generation_id)

    def drop(self, generation_id: UUID) -> None:
        """There will be no row of a submitted generation: close its stream, keep nothing."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._drop, generation_id)

    def stop(self, generation_id: UUID, status: str, timeout: float) -> bool:
        """Stop a stream that is read here and wait until it is sealed; False if it is not ours."""
        if self.loop is None:
            return False
        done = asyncio.run_coroutine_threadsafe(self._stop(generation_id, status), self.loop)
        try:
            return done.result(timeout)
        except TimeoutError:
            return False

    # On the loop --------------------------------------------------------------------------

    def _begin(self, request: Request) -> None:
        live = Live(request, watched_at=time.monotonic())
        self.lives[live.key] = live
        live.task = asyncio.create_task(self._read(live), name=f"stet-read-{live.key}")

    def _release(self, generation_id: UUID) -> None:
        if live := self.lives.get(generation_id):
            live.released.set()
            self._dirty.add(live.key)
            self._wake.set()

    def _drop(self, generation_id: UUID) -> None:
        live = self.lives.pop(generation_id, None)
        if live is not None and live.task is not None:
            live.task.cancel()

    async def _stop(self, generation_id: UUID, status: str) -> bool:
        live = self.lives.get(generation_id)
        if live is None or live.task is None:
            return False
        self.halt(live, status)
        await asyncio.wait([live.task])
        return live.key not in self.lives

    def halt(self, live: Live, status: str) -> None:
        """Close the stream of a generation; its reader seals what has arrived."""
        if live.stop_status is None and live.task is not None and not live.ending:
            live.stop_status = status
            # A task that is cancelled before it begins would never seal.
            if live.begun:
                live.task.cancel()

    def _drop_ahead(self, episode_id: int) -> None:
        for live in list(self.lives.values()):
            if live.request.ahead_in == episode_id:
                self.halt(live, Status.STOPPED)

    def touch(self, generation_id: UUID) -> None:
        """Somebody watches the generation, here or through another process."""
        if live := self.lives.get(generation_id):
            live.watched_at = time.monotonic()

    async def _read(self, live: Live) -> None:
        status, finish, error = Status.INTERRUPTED, Finish(None, None, None), None
        request = live.request
        # What is kept of a failure is translated for each of its readers.
        activate(settings.LANGUAGE_CODE)
        live.begun = True
        try:
            if live.stop_status is not None:
                raise asyncio.CancelledError
            async with aclosing(self._stream(request)) as items:
                async for item in items:
                    if isinstance(item, Piece):
                        live.feed(item)
                        self._dirty.add(live.key)
                        self._wake.set()
                    else:
                        finish, status = item, Status.DONE
        except SamplerError as failure:
            status = Status.INTERRUPTED if live.received else Status.FAILED
            error = {"code": failure.code, "detail": failure.detail}
            if request.ahead_in is not None and isinstance(failure, ModelRefused):
                self._gate.refuse(failure.detail)
        except asyncio.CancelledError:
            status = Status(live.stop_status or Status.INTERRUPTED)
        except Exception:
            log.exception("the reader of generation %s failed", live.key)
            error = READER_FAILED
        await self._end(live, status, finish, error)

    def _stream(self, request: Request) -> AsyncGenerator[Piece | Finish, None]:
        if request.replay is not None:
            return replayed(request.replay)
        return self.sampler.stream(
            request.prompt,
            request.sampling,
            model=request.model,
            priority=request.priority,
            cache_salt=request.cache_salt,
            vocab_size=request.vocab_size,
        )

    async def _end(
        self, live: Live, status: str, finish: Finish, error: dict[str, Any] | None
    ) -> None:
        live.ending = True
        if not await self._committed(live):
            return
        while live.pending() is not None and live.key in self.lives:
            self._dirty.add(live.key)
            self._wake.set()
            await asyncio.sleep(LOG_INTERVAL)
        for wait in (0, 0.2, 1, 3, 10):
            await asyncio.sleep(wait)
            try:
                sealed = await in_thread(
                    sealing.generation_seal,
                    live.key,
                    status=status,
                    finish_reason=finish.finish_reason or "",
                    stop_reason=finish.stop_reason,
                    error=error,
                    usage=finish.usage,
                )
                break
            except Error as failure:
                log.warning("sealing %s: %s; trying again", live.key, failure)
            except Exception:
                log.exception("sealing %s", live.key)
        else:
            # The heartbeat stops with the entry, so that any process seals it later.
            self.lives.pop(live.key, None)
            live.finish(lost(live))
            return
        self.lives.pop(live.key, None)
        live.finish(end_of(sealed))

    async def _committed(self, live: Live) -> bool:
        """Wait until the act that asked for a generation is committed; False where it failed."""
        if live.released.is_set():
            return True
        if live.key not in self.lives:
            return False
        try:
            await asyncio.wait_for(live.released.wait(), COMMIT_TIMEOUT)
        except (TimeoutError, asyncio.CancelledError):
            # Dropped, or an act that hangs: if it is committed after all, the sweep seals it.
            self.lives.pop(live.key, None)
            return False
        return True

    async def _pump(self) -> None:
        backoff, lost = 0.05, False
        while True:
            await self._wake.wait()
            self._wake.clear()
            lives = [self.lives[key] for key in self._dirty if key in self.lives]
            self._dirty.clear()
            try:
                if lost:
                    lives = await self._recall()
                    lost = False
                batch = [(live, pending) for live in lives if (pending := live.pending())]
                if not batch:
                    continue
                ours = await self._log.write([pending for _, pending in batch])
            except (psycopg.Error, OSError) as failure:
                log.warning("the chunk log: %s; trying again", failure)
                lost = True
                await self._log.close()
                self._dirty.update(live.key for live in lives)
                self._wake.set()
                await asyncio.sleep(backoff)
                backoff = min(backoff * 2, 2)
                continue
            backoff = 0.05
            for live, pending in batch:
                if live.key in ours:
                    live.show(pending.seq)
                else:
                    self._lose(live)
            self._heed(ours)
            await asyncio.sleep(LOG_INTERVAL)

    async def _recall(self) -> list[Live]:
        """After a failure the log may hold more than it said, or have lost its latest rows."""
        lives = list(self.lives.values())
        known = await self._log.known([live.key for live in lives])
        for live in lives:
            live.show(known.get(live.key, 0))
        return lives

    def _heed(self, ours: Ours) -> None:
        """Stop what others asked to stop, also where their notice got lost."""
        for key, stop in ours.items():
            if stop and key in self.lives:
                self.halt(self.lives[key], Status.STOPPED)

    def _lose(self, live: Live) -> None:
        """Somebody else sealed this generation; what arrived since then is dropped."""
        self.lives.pop(live.key, None)
        if live.task is not None and not live.ending:
            live.task.cancel()

    async def _log_heartbeat(self) -> None:
        if self.lives:
            self._heed(await self._log.heartbeat(list(self.lives)))

    async def _sweep(self) -> None:
        # Ours first: after an outage of the database they are as old as those of the dead.
        await self._log_heartbeat()
        limit = time.monotonic() - settings.UNWATCHED_SECONDS
        for live in list(self.lives.values()):
            if live.watchers:
                live.watched_at = time.monotonic()
            elif live.watched_at < limit:
                self.halt(live, Status.ABANDONED)
        for key in await in_thread(selectors.without_access, list(self.lives)):
            if key in self.lives:
                self.halt(self.lives[key], Status.ABANDONED)
        await in_thread(sealing.generations_sweep)

    async def _listen(self) -> None:
        async for channel, payload in self._listener.messages():
            if channel == notices.MISSED:
                self.changes.tell_all()
            elif channel == changes.CHANNEL:
                self.changes.tell(payload)
            else:
                kind, _, key = payload.partition(" ")
                self._heard(kind, UUID(key))

    def _heard(self, kind: str, generation_id: UUID) -> None:
        if kind == notices.WATCH:
            self.touch(generation_id)
        elif generation_id in self.lives:
            self.halt(self.lives[generation_id], Status(kind))

    async def _every(self, seconds: float, work: Any) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
            except (psycopg.Error, Error, OSError) as failure:
                log.warning("%s: %s; trying again", work.__name__, failure)
            except Exception:
                log.exception("%s", work.__name__)


def lost(live: Live) -> dict[str, Any]:
    """The last message about a generation that could not be sealed now; it will be, later."""
    return {
        "type": "end",
        "seq": len(live.rows) + 1,
        "status": Status.INTERRUPTED,
        "finish_reason": "",
        "segment": live.request.segment_id if live.rows and not live.request.ahead_in else None,
        "error": SEAL_LATE,
    }


def end_of(generation: Generation) -> dict[str, Any]:
    """The last message about a sealed generation."""
    return {
        "type": "end",
        "generation": generation.pk,
        "seq": generation.n_tokens + 1,
        "status": generation.status,
        "finish_reason": generation.finish_reason,
        "segment": generation.segment_id if generation.n_tokens and not generation.ahead else None,
        "error": generation.error,
    }
