"""Every page can be walked through with Tab alone: all is reached, focus is seen, nothing traps."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Site
from tests.browser.pages import FOREIGN, PAGES, World, build
from tests.browser.test_accessibility import enter

pytestmark = pytest.mark.browser

COUNT = """() => {
  const all = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const groups = new Set();
  const found = [...document.querySelectorAll(all)].filter((one) => {
    if (one.matches(":disabled") || one.type === "hidden") return false;
    if (one.closest("[inert], dialog:not([open])")) return false;
    if (!one.checkVisibility({ visibilityProperty: true })) return false;
    if (one.getAttribute("tabindex") === "-1") return false;
    if (one.type !== "radio") return true;
    const group = `${one.form?.id}:${one.name}`;
    return !groups.has(group) && groups.add(group);
  });
  found.forEach((one, i) => (one.dataset.reach = i));
  return found.map((one) => one.outerHTML.slice(0, 120));
}"""
# A radio button stands for its group; what is drawn for a hidden input is its label.
HERE = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const same = at.type === "radio" ? `[name="${at.name}"][data-reach]` : null;
  const seen = [at, at.closest("label"), at.nextElementSibling].filter(Boolean).some((one) => {
    const style = getComputedStyle(one);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
    return outline || style.boxShadow !== "none";
  });
  const box = at.getBoundingClientRect();
  const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  const index = (same ? document.querySelector(same) : at)?.dataset.reach;
  return { index, seen, inView, html: at.outerHTML.slice(0, 120) };
}"""


@pytest.fixture
def world(quick_site: Site, settings: Any) -> World:
    return build(quick_site, settings)


def walk(page: Page, where: str) -> list[str]:
    """Press Tab until the page is behind; what was not reached or not seen."""
    wanted = page.evaluate(COUNT)
    page.evaluate("() => document.activeElement?.blur()")
    reached: set[int] = set()
    faults: list[str] = []
    outside = 0
    for _ in range(3 * len(wanted) + 20):
        if outside and len(reached) == len(wanted):
            break
        page.keyboard.press("Tab")
        here = page.evaluate(HERE)
        if here is None:
            outside += 1
            continue
        if here["index"] is not None:
            reached.add(int(here["index"]))
        if not here["seen"]:
            faults.append(f"{where}: no focus is seen at {here['html']}")
        if not here["inView"]:
            faults.append(f"{where}: the focus is out of view at {here['html']}")
    if not outside:
        faults.append(f"{where}: Tab never leaves the page")
    missing = [html for i, html in enumerate(wanted) if i not in reached]
    return sorted({*faults, *(f"{where}: Tab does not reach {html}" for html in missing)})


def skip(page: Page, where: str) -> list[str]:
    """The first Tab finds the link to the content, which leads there."""
    page.evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("Tab")
    if not page.evaluate("() => document.activeElement.matches('.skip-link')"):
        return [f"{where}: the first Tab does not find the link to the content"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = "() => document.activeElement.closest('main') !== null"
    return [] if page.evaluate(inside) else [f"{where}: the link leads not to the content"]


def test_tab_reaches_everything_on_every_page(world: World, page: Page) -> None:
    enter(world, page, "en", "light")
    found: list[str] = []
    for name, where in PAGES.items():
        if name in FOREIGN:
            continue
        page.goto(world.site.web.url + where(world))
        # Some pages put the focus into their content by themselves.
        if page.evaluate("() => document.activeElement === document.body") and name != "episode":
            found += skip(page, name)
            page.goto(world.site.web.url + where(world))
        if name == "episode":
            page.wait_for_function("() => document.querySelector('[data-desk]')?.dataset.ready")
        found += walk(page, name)
    assert not found, "\n".join(found)
