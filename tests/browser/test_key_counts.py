"""What a correction costs, counted in a real browser: keys, clicks, and an estimate of the time."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.desk import Corrector, begin
from tests.browser.klm import Path

pytestmark = pytest.mark.browser

PICKS, TYPED, TEXT = 16, 4, "so"
COUNT = """() => {
  window.counted = { keys: 0, clicks: 0 };
  const modifiers = ["Control", "Shift", "Alt", "Meta", "AltGraph"];
  addEventListener("keydown", (event) => {
    if (event.isTrusted && !modifiers.includes(event.key)) window.counted.keys += 1;
  }, true);
  addEventListener("pointerdown", (event) => {
    if (event.isTrusted) window.counted.clicks += 1;
  }, true);
}"""
TAKE = """() => {
  const now = { ...window.counted };
  Object.assign(window.counted, { keys: 0, clicks: 0 });
  return now;
}"""


def taken(page: Page) -> dict[str, int]:
    """What was counted since the last call."""
    counted: dict[str, int] = page.evaluate(TAKE)
    return counted


def other(page: Page) -> str:
    """The key of the first candidate that does not stand there already."""
    rows = page.get_by_test_id("candidates").locator("[data-testid=candidate]:not(.was)")
    expect(rows.first).to_be_visible()
    return rows.first.locator("kbd").inner_text()


def begun(site: Site, page: Page) -> Corrector:
    site.stack.task("Count the keys.", project=site.project, limits={"max_tokens": 400})
    desk = begin(site, page)
    desk.has_characters(40)
    desk.is_still(version=1)
    page.evaluate(COUNT)
    return desk


def test_twenty_corrections_by_keyboard_alone(
    quick_site: Site, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = begun(quick_site, page)
    travel = picks = typed = 0
    for n in range(PICKS + TYPED):
        desk.press("]")
        travel += taken(page)["keys"]
        if n < PICKS:
            desk.press("Enter")
            desk.press(other(page))
            cost = taken(page)["keys"]
            assert cost <= 3
            picks += cost
        else:
            desk.press("i", *TEXT, "Enter")
            cost = taken(page)["keys"]
            assert cost <= 2 + len(TEXT)
            typed += cost
        desk.is_still(version=n + 2)
        desk.shows_what_is_stored(quick_site)
    assert taken(page) == {"keys": 0, "clicks": 0}
    each = travel / (PICKS + TYPED)
    with capsys.disabled():
        say(Path("a pick by keyboard", each + picks / PICKS, minds=2))
        say(Path(f"{len(TEXT)} letters by keyboard", each + typed / TYPED, minds=2))


def test_the_same_by_mouse(
    quick_site: Site, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = begun(quick_site, page)
    page.locator(".t:not(.picked)").nth(6).click()
    other(page)
    page.get_by_test_id("candidates").locator("[data-testid=candidate]:not(.was)").first.click()
    pick: dict[str, Any] = taken(page)
    desk.is_still(version=2)
    desk.shows_what_is_stored(quick_site)
    page.locator(".t").nth(9).click()
    other(page)
    page.get_by_test_id("candidate-other").click()
    page.keyboard.type(TEXT)
    page.get_by_role("button", name="Take", exact=False).last.click()
    typed = taken(page)
    desk.is_still(version=3)
    assert pick == {"keys": 0, "clicks": 2}
    assert typed == {"keys": len(TEXT), "clicks": 3}
    with capsys.disabled():
        say(Path("a pick by mouse", 0, pick["clicks"], minds=2))
        say(Path(f"{len(TEXT)} letters by mouse", typed["keys"], typed["clicks"], hands=2, minds=2))


def say(path: Path) -> None:
    sys.stdout.write(f"\n# {path.line()}\n")
