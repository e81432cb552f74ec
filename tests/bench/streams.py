"""P1, P2, P5: many answers at once, through the platform and straight from the model server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import aiohttp

from stet.policies.samplers.body import completion_body
from stet.policies.sampling import Sampling
from tests.bench.cast import Cast, Desk
from tests.bench.figures import Figure, middle, note, quantile
from tests.bench.procs import cpu_seconds
from tests.bench.rig import Rig
from tests.bench.tab import Tab
from tests.bench.wire import Link, Trace, clock

TOKENS, ITL_MS, TTFT_MS = 400, 20, 10
# People press keys at different moments: the starts of a round are spread over this time.
STARTS_S = 1.0


@dataclass
class Run:
    """One round of one side: its streams, and the CPU time of the server while all were open."""

    traces: list[Trace]
    cpu_s: float
    cpu_tokens: int

    @property
    def rate(self) -> float:
        """Tokens per second of stream, from each request to its last token."""
        return sum(len(t.arrivals) for t in self.traces) / sum(t.seconds for t in self.traces)

    @property
    def gap_p99_ms(self) -> float:
        return 1000 * quantile([gap for trace in self.traces for gap in trace.gaps()], 0.99)

    @property
    def cpu_us(self) -> float:
        """Microseconds of CPU per token."""
        return 1e6 * self.cpu_s / max(self.cpu_tokens, 1)


def body_of(desk: Desk, prompt: Sequence[int] | None = None) -> dict[str, Any]:
    """The body that the platform sends for the same continuation."""
    sampling = Sampling.parse(desk.sampling)
    ids = desk.prompt if prompt is None else prompt
    return completion_body(ids, sampling, model=desk.model, cache_salt=desk.salt)


async def measure(streams: Sequence[Any], pid: int) -> Run:
    """Run the streams, their starts spread; CPU is counted while nothing but streaming happens."""
    from_here: list[float] = []

    async def begin_later(number: int, stream: Any) -> Trace:
        await asyncio.sleep(STARTS_S * number / len(streams))
        return await stream()

    async def count_cpu(traces: list[asyncio.Task[Trace]]) -> tuple[float, float]:
        await asyncio.sleep(STARTS_S + 0.5)
        from_here.append(clock())
        return cpu_seconds(pid), clock()

    tasks = [asyncio.create_task(begin_later(*pair)) for pair in enumerate(streams)]
    before, since = await count_cpu(tasks)
    traces = list(await asyncio.gather(*tasks))
    spent = cpu_seconds(pid) - before
    counted = sum(at >= since for trace in traces for at in trace.arrivals)
    return Run(traces, spent, counted)


async def platform_run(url: str, desks: list[Desk], pid: int) -> Run:
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        tabs = [await Tab.open(session, url, desk.key) for desk in desks]
        for tab in tabs:
            stack.push_async_callback(tab.close)

        def stream(tab: Tab, desk: Desk) -> Any:
            return lambda: tab.answer(desk.episode)

        return await measure([stream(*pair) for pair in zip(tabs, desks, strict=True)], pid)


async def direct_run(url: str, desks: list[Desk], pid: int) -> Run:
    links = [await Link.open(url) for _ in desks]

    def stream(link: Link, desk: Desk) -> Any:
        return lambda: link.stream("/v1/completions", body_of(desk))

    try:
        return await measure([stream(*pair) for pair in zip(links, desks, strict=True)], pid)
    finally:
        for link in links:
            link.close()


def abba(rounds: int) -> Iterator[tuple[str, str]]:
    """Which side goes first: in turn, so that a drift of the machine favours neither."""
    for number in range(rounds):
        yield ("platform", "direct") if number % 2 == 0 else ("direct", "platform")


async def streams(rig: Rig, cast: Cast, wanted: set[str], *, rounds: int) -> list[Figure]:
    """The figures at 8 and at 32 streams."""
    found = []
    tokenizer = cast.tokenizer
    with (
        rig.scripted(tokenizer, ttft_ms=TTFT_MS, itl_ms=ITL_MS, tokens=TOKENS) as model,
        rig.web(model.url, tokenizer, cast.served_name) as web,
        rig.bare(model.url) as bare,
    ):
        sampling = {"max_tokens": TOKENS}
        await platform_run(web.url, cast.desks(4, max_tokens=20), web.pid)
        for n in [8, 32] if "P1" in wanted else [32]:
            runs: dict[str, list[Run]] = {"platform": [], "direct": [], "bare": []}
            for sides in abba(rounds):
                desks = cast.desks(n, **sampling)
                for side in sides:
                    if side == "platform":
                        run = await platform_run(web.url, desks, web.pid)
                    else:
                        run = await direct_run(model.url, desks, model.pid)
                    runs[side].append(run)
                if n == 32 and "P5" in wanted:
                    runs["bare"].append(await direct_run(bare.url, desks, bare.pid))
                note(f"N={n} " + " ".join(f"{s}: {_told(r[-1])}" for s, r in runs.items() if r))
            found += _figures(f"N={n}", runs, wanted)
    return found


def _told(run: Run) -> str:
    return (
        f"{run.rate:.2f} tok/s a stream, first {1000 * middle([t.first for t in run.traces]):.0f}"
        f" ms, p99 gap {run.gap_p99_ms:.1f} ms, CPU {run.cpu_s:.2f} s, {run.cpu_us:.0f} us/token;"
    )


def _figures(at: str, runs: dict[str, list[Run]], wanted: set[str]) -> Iterator[Figure]:
    pairs = list(zip(runs["platform"], runs["direct"], strict=True))
    n = len(pairs)
    if "P1" in wanted:
        yield Figure("P1", at, n, middle([p.rate / d.rate for p, d in pairs]))
    if "P2" in wanted and at == "N=32":
        yield Figure("P2", at, n, middle([p.gap_p99_ms - d.gap_p99_ms for p, d in pairs]))
    if "P5" in wanted and at == "N=32":
        both = zip(runs["platform"], runs["bare"], strict=True)
        yield Figure("P5", at, n, middle([p.cpu_us / b.cpu_us for p, b in both]))
