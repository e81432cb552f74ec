"""P10: a page with 32,768 tokens and 300 corrections in Chromium."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from array import array
from pathlib import Path

import aiohttp
from playwright.sync_api import Page, sync_playwright

from tests.bench.cast import Cast, Desk
from tests.bench.figures import Figure, middle, note, quantile
from tests.bench.rig import Rig
from tests.bench.tab import Tab

TOKENS, LINE, MARKS, STEP = 32768, 8192, 300, 10
SCRIPT = Path(__file__).with_name("long.js")
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", ",", ".", "[", "]", "k", "j")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


async def long_page(rig: Rig, tokenizer: Path, wanted: set[str], *, quick: bool) -> list[Figure]:
    """Key to paint, append frame and first frame."""
    marks = 30 if quick else MARKS
    with (
        rig.scripted(tokenizer, ttft_ms=1, itl_ms=0.2, tokens=TOKENS * 2) as model,
        rig.web(model.url, tokenizer, "scripted") as web,
    ):
        cast = Cast(served_name="scripted", tokenizer=tokenizer, max_len=TOKENS * 2)
        (desk,) = cast.desks(1, max_tokens=STEP + 2)
        await _fill(web.url, desk, marks)
        found = await asyncio.to_thread(_measure, web.url, desk, 3 if quick else 9)
    return [figure for figure in found if figure.metric in wanted]


async def _fill(url: str, desk: Desk, marks: int) -> None:
    """Pick ``marks`` tokens, ten apart, and let the answer go on to its full length."""
    async with aiohttp.ClientSession() as session:
        tab = await Tab.open(session, url, desk.key)
        await tab.answer(desk.episode)
        for version in range(1, marks + 1):
            path = await tab.path(desk.episode)
            tip = path["pieces"][-1]
            where = f"/api/v1/segments/{tip['segment']}/candidates?from={STEP}&to={STEP + 1}"
            (row,) = (await tab.link.call("GET", where))["rows"]
            choice = next(
                c[0] for c in row["candidates"] if c[0] != row["sampled"]["id"] and c[0] > 2
            )
            upto = tip["start"] + STEP
            ids = array("i", path["token_ids"][:upto])
            made = await tab.act(
                desk.episode,
                "corrections",
                {
                    "if_head": version,
                    "segment": tip["segment"],
                    "index": STEP,
                    "choice": {"candidate": choice},
                    "seen": {"upto": upto, "digest": hashlib.sha256(ids.tobytes()).hexdigest()},
                    "active_ms": 1,
                    "continue": version < marks,
                },
            )
            if generation := made["episode"].get("generation"):
                await tab.watch(generation["id"])
                await tab.until("end")
        left = TOKENS - len(path["token_ids"])
        body = {"if_head": marks + 1, "sampling": {"max_tokens": left}}
        begun = await tab.act(desk.episode, "continue", body)
        await tab.watch(begun["generation"]["id"])
        await tab.until("end")
        note(f"an answer of {TOKENS} tokens with {marks} corrections is there")
        await tab.close()


def _measure(url: str, desk: Desk, rounds: int) -> list[Figure]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 720}, bypass_csp=True)
        context.add_cookies([{"name": "sessionid", "value": _session(desk), "url": url}])
        page = context.new_page()
        page.goto(f"{url}/episodes/{desk.episode}/")
        page.wait_for_selector("[data-desk][data-ready=yes]", timeout=120_000)
        page.wait_for_timeout(1500)
        page.add_script_tag(path=SCRIPT)
        keys = _keys(page, rounds)
        appended = page.evaluate("rounds => bench.append(rounds)", rounds * 8)
        first = page.evaluate("rounds => bench.first(rounds)", rounds)
        line = page.evaluate("([n, rounds]) => bench.line(n, rounds)", [LINE, rounds * 8])
        browser.close()
    note(f"keys p50 {middle(keys):.1f} ms, p95 {quantile(keys, 0.95):.1f} ms; first {first}")
    note(f"append p95 {quantile(appended, 0.95):.1f} ms, in a line {quantile(line, 0.95):.1f} ms")
    long, one = f"tokens={TOKENS}", f"line={LINE}"
    return [
        Figure("P10", long, len(keys), quantile(keys, 0.75)),
        Figure("P10.append", long, len(appended), middle(appended)),
        Figure("P10.append", one, len(line), middle(line)),
        Figure("P10.first", long, rounds, first["ours"] / first["plain"]),
    ]


def _keys(page: Page, rounds: int) -> list[float]:
    """Milliseconds from each key to its frame, at the end and in the middle of the answer."""
    page.evaluate("() => bench.pane()")
    page.evaluate("() => bench.watchKeys()")
    for place in ("End", "Home"):
        page.keyboard.press(place)
        for _ in range(rounds):
            for key in KEYS:
                page.keyboard.press(key)
                page.wait_for_timeout(60)
    times: list[float] = page.evaluate("() => window.keyTimes")
    return times


def _session(desk: Desk) -> str:
    """A browser's session of the person at the desk."""
    from django.test import Client

    from stet.traces.models import Episode

    client = Client()
    client.force_login(Episode.objects.get(pk=desk.episode).author)
    return str(client.cookies["sessionid"].value)
