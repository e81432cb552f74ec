"""A scripted annotator who does anything, on a line that breaks: nothing is lost or doubled."""

from __future__ import annotations

import os
import random
import sys
import time

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.annotator import Annotator
from tests.browser.conftest import Site, browser_project
from tests.deep import position_now
from tests.faultproxy import FaultProxy
from tests.live.stack import Stack

pytestmark = pytest.mark.browser
PARTS = 4
SECONDS = 150.0
EVERY = 4


def run(stack: Stack, context: BrowserContext, seed: int, seconds: float) -> None:
    """Work from a seed, which is printed, and compare every few steps."""
    model = stack.scripted(ttft_ms=5, itl_ms=8, tokens=60)
    web = stack.web(model)
    proxy = FaultProxy(web.port)
    site = Site(proxy, model, browser_project(model, {}), stack)
    annotator = Annotator(site, proxy, context, random.Random(seed))
    sys.stdout.write(f"{seconds:.0f} s from seed {seed}: STET_SEED={seed} STET_SECONDS={seconds}\n")
    limit = time.monotonic() + seconds
    try:
        annotator.begin()
        while time.monotonic() < limit:
            for _ in range(EVERY):
                annotator.step()
            annotator.quiet()
        annotator.end()
    except BaseException:
        sys.stdout.write("\n".join(["the last steps:", *annotator.done[-12:], ""]))
        raise
    finally:
        for page in context.pages:
            page.close()
        proxy.close()
        web.stop()
        model.stop()
    sent = sum(act.times for act in annotator.probe.acts.values())
    sys.stdout.write(
        f"{len(annotator.done)} steps, {len(annotator.probe.acts)} acts sent {sent} times on"
        f" {len(annotator.episodes)} tasks, compared {annotator.compared} times\n"
    )


def test_a_short_day_on_a_bad_line(stack: Stack, context: BrowserContext) -> None:
    seed, seconds = os.environ.get("STET_SEED") or 0, os.environ.get("STET_SECONDS") or 12
    run(stack, context, int(seed), float(seconds))


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_a_long_day_on_a_bad_line(stack: Stack, context: BrowserContext, part: int) -> None:
    """The seeds move on with every commit and every day, so that no run repeats another."""
    begin = int(os.environ.get("STET_SEED") or position_now() * PARTS)
    run(stack, context, begin + part, float(os.environ.get("STET_SECONDS") or SECONDS))
