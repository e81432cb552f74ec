"""What would follow a candidate is shown beside it, and is what follows when it is taken."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from stet.common.packing import unpack_ids
from stet.policies.tokenizer import load_tokenizer
from stet.traces.models import Correction, Generation, Segment
from tests.browser.conftest import Site
from tests.browser.desk import SLOW, Corrector, begin, episode_of, stored_text
from tests.live.stack import Scripted

pytestmark = pytest.mark.browser
AHEAD = 100


def open_list(site: Site, page: Page) -> Corrector:
    """A person with a whole answer and the list of its third token open."""
    site.stack.task("Tell me of the sea.", project=site.project, limits={"max_tokens": 40})
    desk = begin(site, page)
    desk.has_characters(20)
    desk.is_still(version=1)
    desk.press("Home", "ArrowRight", "ArrowRight", "Enter")
    expect(page.get_by_test_id("candidate").first).to_be_visible(timeout=SLOW)
    return desk


def asked(model: Scripted) -> int:
    """How many look-aheads reached the model."""
    return sum(body["priority"] == AHEAD for body in model.completions())


def test_what_is_shown_beside_a_candidate_follows_it(quick_site: Site, page: Page) -> None:
    desk = open_list(quick_site, page)
    after = page.locator(".cand .after")
    expect(after).to_have_count(3, timeout=SLOW)
    height = page.get_by_test_id("strip").bounding_box()
    for number in range(3):
        expect(after.nth(number)).not_to_be_empty(timeout=SLOW)
    episode = episode_of(page)
    while Generation.objects.filter(episode=episode, ended_at=None).exists():
        page.wait_for_timeout(50)
    page.wait_for_timeout(100)
    assert page.get_by_test_id("strip").bounding_box() == height
    row = page.locator(".cand", has=page.locator("span.after")).nth(1)
    shown = after.nth(1).inner_text()
    expect(row).to_have_attribute("aria-label", re.compile(", followed by: .+"))
    desk.press(row.locator("kbd").inner_text())
    desk.is_still(version=2)

    taken = Segment.objects.get(episode=episode, seen_before_pick=True)
    tokenizer = load_tokenizer(quick_site.model.model)
    assert tokenizer.text_of(unpack_ids(taken.ids)).replace("\n", "↵") == shown
    pick = Correction.objects.get(episode=episode)
    assert taken.parent_id == pick.new_segment_id
    assert pick.seen is not None
    assert pick.seen["lookahead"] is True
    expect(desk.text).to_have_text(stored_text(quick_site, episode_of(page)), use_inner_text=False)
    page.reload()
    expect(desk.text).to_have_text(stored_text(quick_site, episode_of(page)), use_inner_text=False)


def test_escape_ends_what_is_sampled_and_what_is_off_asks_nothing(
    quick_site: Site, page: Page
) -> None:
    model = quick_site.model
    assert isinstance(model, Scripted)
    model.forget()
    desk = open_list(quick_site, page)
    model.mode("hang", after=1, times=3)
    desk.press("Escape", "ArrowRight", "Enter")
    expect(page.locator(".cand .after").first).not_to_be_empty(timeout=SLOW)
    before = asked(model)
    assert before >= 3
    assert model.running() > 0
    desk.press("Escape")
    limit = time.monotonic() + 10
    while model.running() and time.monotonic() < limit:
        page.wait_for_timeout(50)
    assert model.running() == 0
    model.mode("ok")
    episode = episode_of(page)
    assert episode.version == 1
    assert not Segment.objects.filter(episode=episode, seen_before_pick=True).exists()

    quick_site.project.settings = {"lookahead": False}
    quick_site.project.save(update_fields=["settings"])
    page.reload()
    desk.has_characters(20)
    desk.press("Home", "ArrowRight", "Enter")
    expect(page.get_by_test_id("candidate").first).to_be_visible(timeout=SLOW)
    page.wait_for_timeout(400)
    expect(page.locator(".cand .after")).to_have_count(0)
    assert asked(model) == before
    desk.press(page.locator("[role=option]:not(.was) kbd").first.inner_text())
    desk.is_still(version=2)
    pick = Correction.objects.get(episode=episode)
    assert pick.seen is not None
    assert pick.seen["lookahead"] is False
    assert re.search(r"\S", desk.shown())
