"""P3L: in a real page, how soon the first new token stands there after a candidate is taken."""

from __future__ import annotations

import os
import random
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.cast import Cast
from tests.bench.figures import Figure, middle, note

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPT = Path(__file__).with_suffix(".js")
# How long the list is looked at, in milliseconds; the figure counts those of LONG and more.
DWELLS = (200, 400, 600, 1000, 2000)
LONG = 600
PER_EPISODE = 5
PASSWORD = "seven green umbrellas"
PATIENCE = 120_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@dataclass(frozen=True)
class Pick:
    """Wanted and real dwell, frames until the first new token was painted, and the time to it.

    ``seen`` is when the first look-ahead of the list came, None if the pick was sooner.
    """

    wanted: int
    dwell: float
    frames: int
    waited: float
    seen: float | None


def picks(url: str, cast: Cast, at: str, *, each: int, words: int) -> list[Figure]:
    """Open a list, read it for a while, take one of its three leading candidates; many times."""
    chance = random.Random(7)
    order = [dwell for dwell in DWELLS for _ in range(each)]
    chance.shuffle(order)
    made: list[Pick] = []
    with chromium() as page:
        while order:
            episode = _begin(page, url, cast, words)
            for _ in range(min(PER_EPISODE, len(order))):
                made.append(_pick(page, episode, order.pop(), chance))
    return _figures(made, at)


@contextmanager
def chromium() -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(path=SCRIPT)
        yield page
        browser.close()


def _begin(page: Page, url: str, cast: Cast, words: int) -> int:
    """A fresh episode, open in the page, with its first answer."""
    from stet.traces.models import Episode

    (desk,) = cast.desks(1, words=words, max_tokens=24)
    episode = Episode.objects.select_related("author").get(pk=desk.episode)
    user = episode.author
    if not user.has_usable_password() or not user.check_password(PASSWORD):
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])
        page.goto(f"{url}/")
        page.get_by_label("User name").fill(user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{url}/")
    page.goto(f"{url}/episodes/{episode.pk}/")
    page.wait_for_selector("[data-testid=text] .t")
    return episode.pk


def _still(page: Page, episode: int) -> None:
    """Wait until nothing is sampled for the episode and the page shows its end."""
    from stet.traces.models import Generation

    while Generation.objects.filter(episode=episode, ended_at=None).exists():
        page.wait_for_timeout(50)
    page.wait_for_function("() => document.querySelector('[data-desk]').dataset.mode === 'read'")


def _pick(page: Page, episode: int, dwell: int, chance: random.Random) -> Pick:
    _still(page, episode)
    page.keyboard.press("Home")
    count = page.locator("[data-testid=text] .t").count()
    for _ in range(chance.randrange(min(max(count - 2, 1), 16))):
        page.keyboard.press("ArrowRight")
    page.evaluate("() => { bench.last = null; }")
    page.keyboard.press("Enter")
    keys = page.evaluate("dwell => bench.leading(dwell)", dwell)
    page.keyboard.press(chance.choice(keys))
    page.wait_for_function("() => bench.last !== null")
    last = page.evaluate("() => bench.last")
    return Pick(dwell, last["dwell"], last["frames"], last["waited"], last["seen"])


def _figures(made: list[Pick], at: str) -> list[Figure]:
    by_dwell: dict[int, list[Pick]] = defaultdict(list)
    for pick in made:
        by_dwell[pick.wanted].append(pick)
    for dwell, some in sorted(by_dwell.items()):
        hits = sum(pick.frames == 1 for pick in some)
        note(
            f"{at} dwell {dwell} ms (really {middle([pick.dwell for pick in some]):.0f}): "
            f"{hits} of {len(some)} picks painted in the next frame = {hits / len(some):.2f}; "
            f"to the first new token p50 {middle([pick.waited for pick in some]):.0f} ms"
        )
    seen = [pick.seen for pick in made if pick.seen is not None]
    if seen:
        note(
            f"{at} first look-ahead of a list p50 {middle(seen):.0f} ms, {len(seen)} of {len(made)}"
        )
    long = [pick for pick in made if pick.dwell >= LONG]
    hits = sum(pick.frames == 1 for pick in long)
    return [Figure("P3L", at, len(long), hits / len(long))]
