"""P3 and P4: from a correction to the first new token, and how much of the prompt was cached."""

from __future__ import annotations

import re
import urllib.request
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.bench.cast import Cast
from tests.bench.figures import Figure, middle, note, quantile
from tests.bench.streams import body_of
from tests.bench.tab import Tab
from tests.bench.wire import Link, clock
from tests.bench.writes import Answered

PER_EPISODE = 10


@dataclass
class Times:
    """Seconds to the first token, pair by pair, and what the server had cached of each prompt."""

    platform: list[float] = field(default_factory=list)
    direct: list[float] = field(default_factory=list)
    cached: list[tuple[int, int]] = field(default_factory=list)
    block: int = 0


async def corrections(
    url: str, model_url: str, cast: Cast, *, count: int, words: int, to_end: bool, **sampling: Any
) -> Times:
    """Correct and continue ``count`` times; each prefix is also sent straight to the model server.

    ``to_end`` lets every answer end by itself, so that its usage counts are stored; otherwise it
    is stopped behind its first tokens.
    """
    times = Times(block=block_of(model_url))
    async with aiohttp.ClientSession() as session:
        for _ in range(max(count // PER_EPISODE, 1)):
            (desk,) = cast.desks(1, words=words, **sampling)
            tab = await Tab.open(session, url, desk.key)
            work = await Answered.make(tab, desk)
            for number in range(PER_EPISODE):
                await _one(work, model_url, times, number, to_end=to_end)
            await tab.close()
    return times


def block_of(model_url: str) -> int:
    """How many tokens the model server keeps together in its prefix cache; 0 if it has none."""
    with urllib.request.urlopen(f"{model_url}/metrics", timeout=30) as answer:
        found = re.search(
            r'^vllm:cache_config_info{.*[{,]block_size="(\d+)"', answer.read().decode(), re.M
        )
    return int(found[1]) if found else 0


async def _one(work: Answered, model_url: str, times: Times, number: int, *, to_end: bool) -> None:
    body = await work.body(go_on=True)
    place = work.start + body["index"]
    prefix = [*work.ids[:place], body["choice"]["candidate"]]

    async def direct() -> None:
        link = await Link.open(model_url)
        trace = await link.stream("/v1/completions", body_of(work.desk, prefix), only_first=True)
        times.direct.append(trace.first)

    async def platform() -> None:
        sent = clock()
        made = await work.tab.act(work.desk.episode, "corrections", body)
        key = made["generation"]["id"]
        await work.tab.watch(key)
        await work.tab.until("tokens")
        times.platform.append(clock() - sent)
        if not to_end:
            await work.tab.stop(key)
        await work.tab.until("end")

    for side in (direct, platform) if number % 4 in (0, 3) else (platform, direct):
        await side()
    path = await work.tab.path(work.desk.episode)
    work.version = path["version"]
    if to_end:
        usage = await _usage(path["generation"]["id"])
        times.cached.append((usage["cached_tokens"], len(prefix)))
        work.look(path)


async def _usage(generation: str) -> dict[str, int]:
    from stet.traces.models import Generation

    row = await Generation.objects.aget(pk=generation)
    assert row.usage is not None
    return row.usage


def figures(times: Times, at: str, wanted: set[str]) -> list[Figure]:
    """P3 and its kin from the times, P4 from the counts of cached tokens."""
    pairs = zip(times.platform, times.direct, strict=True)
    added = [1000 * (platform - direct) for platform, direct in pairs]
    p50, direct = middle(times.platform), middle(times.direct)
    note(
        f"{at} first token: platform p50 {1000 * p50:.1f} p95"
        f" {1000 * quantile(times.platform, 0.95):.1f} ms, direct p50 {1000 * direct:.1f} p95"
        f" {1000 * quantile(times.direct, 0.95):.1f} ms"
    )
    found = []
    if "P3" in wanted:
        found.append(Figure("P3", at, len(added), middle(added)))
    if "P3.p95" in wanted:
        found.append(Figure("P3.p95", at, len(added), quantile(added, 0.95)))
    if not times.cached:
        return found
    if "P3.ratio" in wanted:
        found.append(Figure("P3.ratio", at, len(added), p50 / direct))
    if "P4" in wanted:
        block = times.block
        long = [(c, block * ((k - 1) // block)) for c, k in times.cached if k >= 3 * block]
        share = sum(c for c, _ in long) / max(sum(ideal for _, ideal in long), 1)
        found.append(Figure("P4", at, len(long), share))
    return found
