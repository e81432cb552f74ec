"""P9: what a durable correction costs, as a multiple of the smallest durable write."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import random
from array import array
from typing import Any

import aiohttp
import psycopg

from tests.bench.cast import Cast, Desk
from tests.bench.figures import Figure, middle, note, quantile
from tests.bench.procs import cpu_seconds
from tests.bench.rig import Rig
from tests.bench.tab import Tab
from tests.bench.wire import clock

# Undo and redo read all acts of an episode, so no episode gets more than a person would make.
PER_EPISODE = 25
TABLE = (
    "CREATE TABLE IF NOT EXISTS bench_raw (id bigserial PRIMARY KEY, episode bigint, at int, "
    "ids bytea, made timestamptz NOT NULL DEFAULT now())"
)
INSERT = "INSERT INTO bench_raw (episode, at, ids) VALUES (%s, %s, %s)"


class Answered:
    """An episode with a whole answer, corrected at one place after another."""

    def __init__(self, tab: Tab, desk: Desk, path: Any) -> None:
        self.tab, self.desk = tab, desk
        self.version = path["version"]
        self._chance = random.Random(desk.episode)
        self._places: list[int] = []
        self.look(path)

    def look(self, path: Any) -> None:
        """From now on correct the last answer of this path, if it has places to choose from."""
        tip = path["pieces"][-1]
        length = tip["end"] - tip["start"]
        if length > 3 or not self._places:
            self.ids = array("i", path["token_ids"])
            self.segment, self.start = tip["segment"], tip["start"]
            # Falling, because all that a correction leaves of the answer lies before its place.
            self._places = sorted(self._chance.sample(range(1, length), min(length - 1, 40)))

    @classmethod
    async def make(cls, tab: Tab, desk: Desk) -> Answered:
        await tab.answer(desk.episode)
        return cls(tab, desk, await tab.path(desk.episode))

    async def body(self, *, go_on: bool) -> dict[str, Any]:
        """A pick at a random place of the answer, as the page would send it."""
        index = self._places.pop()
        where = f"/api/v1/segments/{self.segment}/candidates?from={index}&to={index + 1}"
        (row,) = (await self.tab.link.call("GET", where))["rows"]
        sampled = row["sampled"]["id"]
        choices = [c[0] for c in row["candidates"] if c[0] != sampled and c[0] > 2]
        upto = self.start + index
        seen = hashlib.sha256(self.ids[:upto].tobytes()).hexdigest()
        return {
            "if_head": self.version,
            "segment": self.segment,
            "index": index,
            "choice": {"candidate": choices[0]},
            "seen": {"upto": upto, "digest": seen},
            "active_ms": 1500,
            "continue": go_on,
        }


async def _bodies(work: Answered) -> list[dict[str, Any]]:
    return [await work.body(go_on=False) for _ in range(PER_EPISODE)]


async def correct(work: Answered, bodies: list[dict[str, Any]]) -> list[float]:
    """Seconds until each of the corrections is acknowledged."""
    took = []
    for body in bodies:
        sent = clock()
        await work.tab.act(work.desk.episode, "corrections", {**body, "if_head": work.version})
        took.append(clock() - sent)
        work.version += 1
    return took


async def writes(rig: Rig, cast: Cast, *, count: int) -> list[Figure]:
    """Corrections of 1 and of 8 people, and raw inserts of as many, in turn."""
    with (
        rig.scripted(cast.tokenizer, ttft_ms=1, itl_ms=2, tokens=60) as model,
        rig.web(model.url, cast.tokenizer, cast.served_name) as web,
    ):
        return [await _at(rig, cast, web.url, web.pid, clients, count) for clients in (1, 8)]


async def _at(rig: Rig, cast: Cast, url: str, pid: int, clients: int, count: int) -> Figure:
    acks: list[float] = []
    raws: list[float] = []
    async with aiohttp.ClientSession() as session:
        links = [await _connect(rig) for _ in range(clients)]
        each = max(count // clients // PER_EPISODE, 1)
        spent = 0.0
        for number in range(each):
            desks = cast.desks(clients)
            tabs = [await Tab.open(session, url, desk.key) for desk in desks]
            work = [await Answered.make(*pair) for pair in zip(tabs, desks, strict=True)]

            bodies = await asyncio.gather(*map(_bodies, work))

            async def platform(work: list[Answered] = work, bodies: list[Any] = bodies) -> None:
                nonlocal spent
                before = cpu_seconds(pid)
                acks.extend(itertools.chain(*await asyncio.gather(*map(correct, work, bodies))))
                spent += cpu_seconds(pid) - before

            async def raw() -> None:
                raws.extend(itertools.chain(*await asyncio.gather(*map(_inserts, links))))

            for side in (platform, raw) if number % 2 == 0 else (raw, platform):
                await side()
            for tab in tabs:
                await tab.close()
        for link in links:
            await link.close()
    note(
        f"clients={clients} correction p50 {1000 * middle(acks):.1f} p95"
        f" {1000 * quantile(acks, 0.95):.1f} ms, raw insert p50 {1000 * middle(raws):.2f} p95"
        f" {1000 * quantile(raws, 0.95):.2f} ms, web CPU {1000 * spent / len(acks):.1f} ms each"
    )
    return Figure("P9", f"clients={clients}", len(acks), middle(acks) / middle(raws))


async def _connect(rig: Rig) -> psycopg.AsyncConnection[Any]:
    link = await psycopg.AsyncConnection.connect(rig.postgres.url, autocommit=True)
    await link.execute(TABLE)
    return link


async def _inserts(link: psycopg.AsyncConnection[Any]) -> list[float]:
    took = []
    for number in range(PER_EPISODE):
        began = clock()
        await link.execute(INSERT, (number, number, b"\0" * 8), prepare=True)
        took.append(clock() - began)
    return took
