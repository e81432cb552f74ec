"""What a person did is saved once, whatever happens on the way, and said in words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from stet.traces.models import Act, Correction
from tests.browser.conftest import Site
from tests.browser.desk import Corrector, begin, episode_of

pytestmark = pytest.mark.browser
CORRECTIONS = re.compile(r"/corrections$")


class LossyProxy:
    """502 to the first correction; the second gets there, but its answer has no body."""

    def __init__(self, page: Page) -> None:
        self.keys: list[str] = []
        page.route(CORRECTIONS, self._handle)

    def _handle(self, route: Route) -> None:
        self.keys.append(route.request.headers["idempotency-key"])
        if len(self.keys) == 1:
            route.fulfill(status=502, body="Bad Gateway")
        elif len(self.keys) == 2:
            assert route.fetch().status == 201
            route.fulfill(status=201, body="")
        else:
            route.continue_()


def answered(site: Site, page: Page) -> Corrector:
    """A desk with an answer that has ended."""
    site.stack.task("Say something.", project=site.project, limits={"max_tokens": 20})
    desk = begin(site, page)
    desk.has_characters(5)
    desk.is_still(version=1)
    return desk


def pick_another(page: Page, desk: Corrector) -> None:
    desk.press("Home", "ArrowRight", "Enter")
    other = page.get_by_test_id("candidates").locator("[role=option]:not(.was)").first
    expect(other).to_be_visible()
    desk.press(other.locator("kbd").inner_text())


@pytest.mark.parametrize("reload", [False, True])
def test_a_correction_is_stored_once_behind_a_lossy_proxy(
    quick_site: Site, page: Page, reload: bool
) -> None:
    desk = answered(quick_site, page)
    proxy = LossyProxy(page)
    pick_another(page, desk)
    expect(desk.saved).to_have_text("not saved, retrying")
    if reload:
        page.reload()
    expect(desk.saved).to_have_text(re.compile("^saved"), timeout=20_000)
    desk.is_still(version=2)
    assert len(proxy.keys) >= 3
    assert len(set(proxy.keys)) == 1
    episode = episode_of(page)
    assert Correction.objects.filter(episode=episode).count() == 1
    assert Act.objects.filter(episode=episode, kind=Act.Kind.CORRECT).count() == 1
    assert page.get_by_test_id("say").get_attribute("data-level") != "cut"
    expect(page.get_by_test_id("leftovers")).to_be_hidden()
    pick = Correction.objects.get(episode=episode)
    assert page.get_by_test_id("branch").count() == 2, pick


def test_a_tab_that_was_overtaken_says_so_and_keeps_the_typed_text(
    quick_site: Site, page: Page
) -> None:
    desk = answered(quick_site, page)
    pick_another(page, desk)
    desk.is_still(version=2)
    other = page.context.new_page()
    other.goto(page.url)
    Corrector(other).has_characters(len(desk.shown()))
    page.bring_to_front()
    desk.press("End", "i")
    page.keyboard.type("words of mine")
    other.bring_to_front()
    Corrector(other).press("u")
    expect(page.get_by_test_id("say")).to_contain_text("changed in another tab", timeout=3000)
    expect(page.get_by_test_id("say")).to_contain_text("What you typed is kept")
    desk.is_still(version=3)
    page.bring_to_front()
    shown = "text => document.querySelector('[data-testid=text]').textContent === text"
    page.wait_for_function(shown, arg=Corrector(other).shown())
    desk.press("End", "i")
    expect(page.get_by_test_id("type")).to_have_value("words of mine")


def test_without_a_database_in_the_browser_one_can_work_and_is_told(
    quick_site: Site, page: Page
) -> None:
    page.add_init_script("delete window.indexedDB; IDBFactory.prototype.open = null")
    desk = answered(quick_site, page)
    expect(page.get_by_test_id("say")).to_contain_text("keeps nothing")
    pick_another(page, desk)
    desk.is_still(version=2)
    assert Correction.objects.filter(episode=episode_of(page)).count() == 1


def test_an_act_without_a_network_waits_for_it(quick_site: Site, page: Page) -> None:
    desk = answered(quick_site, page)
    desk.press("Home", "ArrowRight", "Enter")
    other = page.get_by_test_id("candidates").locator("[role=option]:not(.was)").first
    expect(other).to_be_visible()
    page.context.set_offline(True)
    desk.press(other.locator("kbd").inner_text())
    expect(desk.saved).to_have_text("offline, not saved yet")
    assert not Correction.objects.filter(episode=episode_of(page)).exists()
    page.context.set_offline(False)
    expect(desk.saved).to_have_text(re.compile("^saved"))
    desk.is_still(version=2)
    assert Correction.objects.filter(episode=episode_of(page)).count() == 1


@pytest.mark.parametrize("locks", ["browser", "none"])
def test_two_tabs_never_write_at_once(quick_site: Site, page: Page, locks: str) -> None:
    if locks == "none":
        # As on a site without TLS on another machine.
        page.context.add_init_script(
            "Object.defineProperty(navigator, 'locks', {value: undefined})"
        )
    desk = answered(quick_site, page)
    other = page.context.new_page()
    other.goto(page.url)
    second = Corrector(other)
    second.has_characters(len(desk.shown()))
    sent: list[str] = []
    other.on("request", lambda request: sent.append(request.url) if request.post_data else None)
    page.bring_to_front()
    page.route(CORRECTIONS, lambda route: route.fulfill(status=502, body="Bad Gateway"))
    pick_another(page, desk)
    expect(desk.saved).to_have_text("not saved, retrying")
    other.bring_to_front()
    pick_another(other, second)
    expect(second.saved).to_have_text("another tab is saving")
    assert not [url for url in sent if CORRECTIONS.search(url)]
    page.unroute(CORRECTIONS)
    expect(other.get_by_test_id("say")).to_contain_text("in another tab", timeout=20_000)
    page.bring_to_front()
    desk.is_still(version=2)
    assert Correction.objects.filter(episode=episode_of(page)).count() == 1
