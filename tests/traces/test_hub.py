"""The hub under faults of the database: nothing that was shown is lost, nothing comes twice."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any
from uuid import UUID

import psycopg
import pytest

from stet.common.packing import unpack_ids
from stet.policies.clusters import TextRows
from stet.policies.samplers.base import Finish, Piece
from stet.policies.sampling import Sampling
from stet.policies.tokenizer import load_tokenizer
from stet.traces.models import Chunk, Episode, Generation, Segment
from stet.traces.sealing import generation_seal
from stet.traces.streams.hub import Hub
from stet.traces.streams.live import Live, Pending, Request
from stet.traces.streams.log import ChunkLog, Ours
from stet.traces.streams.threads import in_thread
from tests.scripted.use import small_folder
from tests.traces.conftest import generation_at

IDS = list(range(20, 60))


class Tokens:
    """A sampler that yields IDS one by one, then waits where it is told to."""

    def __init__(self, hold: int = -1) -> None:
        self.hold = hold

    async def stream(
        self, prompt_ids: Sequence[int], sampling: Sampling, **options: Any
    ) -> AsyncGenerator[Piece | Finish, None]:
        for number, token in enumerate(IDS):
            if number == self.hold:
                await asyncio.sleep(3600)
            beside = array("i", [token, token + 1])
            yield Piece(array("i", [token]), array("f", [-0.5]), beside, array("f", [-0.5, -1]), 2)
            await asyncio.sleep(0.002)
        yield Finish("stop", None, None)

    async def waiting(self) -> int:
        return 0

    async def aclose(self) -> None:
        return


class Faulty(ChunkLog):
    """A chunk log whose ``fault`` runs after every write, with what was written."""

    fault: Callable[[Faulty, list[Pending]], Any]

    async def write(self, batch: list[Pending]) -> Ours:
        ours = await super().write(batch)
        await self.fault(self, batch)
        return ours


async def played(
    generation: Generation,
    fault: Callable[[Faulty, list[Pending]], Any] | None = None,
    hold: int = -1,
    then: Callable[[Hub, Live], Any] | None = None,
) -> Live:
    """The generation, read by a hub to its end."""
    hub = Hub(Tokens(hold))
    await in_thread(change, generation, owner=hub.owner)
    if fault is not None:
        hub._log = Faulty(hub.owner)
        hub._log.fault = fault
    hub.loop = asyncio.get_running_loop()
    pump = asyncio.create_task(hub._pump())
    request = Request(
        generation_id=generation.pk,
        segment_id=generation.segment_id,
        prompt=[1],
        sampling=Sampling(),
        model="small",
        vocab_size=900,
        cache_salt="",
        rows=TextRows(load_tokenizer(small_folder())),
    )
    hub._begin(request)
    hub._release(request.generation_id)
    live = hub.lives[generation.pk]
    if then is not None:
        await then(hub, live)
    assert live.task is not None
    await asyncio.wait_for(live.task, 60)
    pump.cancel()
    await asyncio.gather(pump, return_exceptions=True)
    await hub._log.close()
    return live


@pytest.fixture
def generation(transactional_db: None, episode: Episode) -> Generation:
    return generation_at(episode)


def change(generation: Generation, **fields: Any) -> None:
    Generation.objects.filter(pk=generation.pk).update(**fields)


def _sealed(generation: Generation) -> list[int]:
    generation.refresh_from_db()
    assert not Chunk.objects.exists()
    return list(unpack_ids(Segment.objects.get(pk=generation.segment_id).ids))


async def sealed(generation: Generation) -> list[int]:
    """The ids of the segment, once the log is empty."""
    return await in_thread(_sealed, generation)


async def arrived(live: Live, n: int) -> None:
    """Wait until so many tokens are shown."""
    event = asyncio.Event()
    live.watchers.add(event)
    while len(live.rows) < n:
        event.clear()
        await event.wait()


async def test_a_write_whose_answer_got_lost_is_not_repeated(generation: Generation) -> None:
    lost: list[int] = []

    async def fault(log: Faulty, batch: list[Pending]) -> None:
        if len(lost) < 3:
            lost.append(batch[0].seq)
            raise psycopg.OperationalError("the connection is gone")

    live = await played(generation, fault)
    assert await sealed(generation) == IDS == [row[0] for row in live.rows]
    assert lost


async def test_rows_that_the_database_forgot_are_written_again(generation: Generation) -> None:
    forgotten: list[UUID] = []

    async def fault(log: Faulty, batch: list[Pending]) -> None:
        link = await log.connect()
        if not forgotten and batch[0].start > 0:
            forgotten.append(batch[0].generation_id)
            await link.execute("DELETE FROM traces_chunk")
            raise psycopg.OperationalError("the server crashed")

    live = await played(generation, fault)
    assert await sealed(generation) == IDS == [row[0] for row in live.rows]
    assert forgotten


async def test_a_stop_before_the_first_step_still_seals(generation: Generation) -> None:
    async def stop(hub: Hub, live: Live) -> None:
        hub.halt(live, "stopped")

    live = await played(generation, then=stop)
    await in_thread(generation.refresh_from_db)
    assert (generation.status, generation.n_tokens) == ("stopped", 0)
    assert live.end is not None


async def test_a_stop_is_heeded_without_its_notice(generation: Generation) -> None:
    async def ask(hub: Hub, live: Live) -> None:
        await arrived(live, 5)
        await in_thread(change, generation, stop_requested=True)
        await asyncio.sleep(0.05)
        await hub._log_heartbeat()

    await played(generation, hold=10, then=ask)
    await in_thread(generation.refresh_from_db)
    assert generation.status == "stopped"
    assert await sealed(generation) == IDS[: generation.n_tokens]


async def test_what_another_process_sealed_is_let_go(generation: Generation) -> None:
    async def take(hub: Hub, live: Live) -> None:
        await arrived(live, 5)
        await in_thread(generation_seal, generation.pk, status="interrupted")

    live = await played(generation, then=take)
    ids = await sealed(generation)
    assert generation.status == "interrupted"
    assert ids[: len(live.rows)] == [row[0] for row in live.rows]
    assert live.end is not None
    assert live.end["seq"] == len(ids) + 1
