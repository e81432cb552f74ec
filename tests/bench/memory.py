"""P6: what an open stream costs in memory."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import aiohttp

from tests.bench.cast import Cast, Desk
from tests.bench.figures import Figure, middle, note
from tests.bench.procs import rss_kb
from tests.bench.rig import Rig
from tests.bench.tab import Tab

STREAMS, ITL_MS = 300, 250
# The first streams of a process also pay for what all later ones share.
WARM = 20
SETTLE_S = 10


async def memory(rig: Rig, cast: Cast, *, streams: int = STREAMS) -> list[Figure]:
    """Resident memory with ``streams`` open streams at 4 tokens a second, less that before."""
    with (
        rig.scripted(cast.tokenizer, ttft_ms=10, itl_ms=ITL_MS, tokens=2000) as model,
        rig.web(model.url, cast.tokenizer, cast.served_name) as web,
    ):
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(
                aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
            )
            desks = cast.desks(streams + WARM, max_tokens=2000)
            await _open(stack, session, web.url, desks[:WARM])
            await asyncio.sleep(5)
            before = rss_kb(web.pid)
            await _open(stack, session, web.url, desks[WARM:])
            samples = []
            for _ in range(SETTLE_S):
                await asyncio.sleep(1)
                samples.append(rss_kb(web.pid))
            after = middle(samples)
    note(f"RSS {before} kB before, {after:.0f} kB with {streams} streams")
    return [Figure("P6", f"N={streams}", streams, (after - before) / streams)]


async def _open(
    stack: AsyncExitStack, session: aiohttp.ClientSession, url: str, desks: list[Desk]
) -> None:
    for desk in desks:
        tab = await Tab.open(session, url, desk.key)
        stack.push_async_callback(tab.close)
        begun = await tab.act(desk.episode, "continue", {"if_head": 0})
        await tab.watch(begun["generation"]["id"])
        reader = asyncio.create_task(_read(tab))
        stack.callback(reader.cancel)


async def _read(tab: Tab) -> None:
    while True:
        await tab.next()
