"""axe finds nothing serious on any page, in both languages and both themes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Site
from tests.browser.pages import FOREIGN, NO_PAGES, PAGES, World, build, names

pytestmark = pytest.mark.browser
SERIOUS = {"serious", "critical"}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"resultTypes": ["violations"], "runOnly": TAGS}


@pytest.fixture
def world(quick_site: Site, settings: Any) -> World:
    return build(quick_site, settings)


def test_every_address_has_a_row_or_a_reason() -> None:
    known = set(PAGES) | set(NO_PAGES)
    assert names() - known == set(), "a new page: give it a row in tests/browser/pages.py"
    assert known - names() == set(), "these rows name no address any more"


def faults(page: Page, where: str) -> list[str]:
    """What axe finds that is serious, one line for each element."""
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [
        f"{where}: {rule['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


def test_the_check_sees_what_is_wrong(world: World, page: Page) -> None:
    page.set_content("<html lang='en'><title>x</title><main><h1>x</h1><button></button></main>")
    assert ["button-name" in line for line in faults(page, "here")] == [True]


def enter(world: World, page: Page, language: str, theme: str) -> None:
    """Sign in, with the language and the theme that a reader would have chosen."""
    for name, value in (("django_language", language), ("theme", theme)):
        page.context.add_cookies([{"name": name, "value": value, "url": world.site.web.url}])
    page.goto(f"{world.site.web.url}/sign-in")
    page.locator("input[name=username]").fill(world.owner.username)
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{world.site.web.url}/")
    assert page.locator("html").get_attribute("data-theme") == theme
    expect(page.locator("html")).to_have_attribute("lang", re.compile(language[:2]))


@pytest.mark.parametrize(
    ("language", "theme"),
    [
        ("en", "light"),
        ("zh-hans", "dark"),
        pytest.param("en", "dark", marks=pytest.mark.deep),
        pytest.param("zh-hans", "light", marks=pytest.mark.deep),
    ],
)
def test_axe_finds_nothing_serious(world: World, page: Page, language: str, theme: str) -> None:
    address = world.site.web.url
    page.goto(f"{address}/sign-in")
    found = faults(page, "sign-in")
    enter(world, page, language, theme)
    for name, where in PAGES.items():
        if name in {"sign-in", "episode", *FOREIGN}:
            continue
        page.goto(address + where(world))
        found += faults(page, name)
    page.goto(f"{address}/nowhere")
    found += faults(page, "404")
    page.goto(address + PAGES["episode"](world))
    found += corrector(page)
    assert not found, "\n".join(found)


def corrector(page: Page) -> list[str]:
    """The corrector in its modes and with each of its dialogs open."""
    page.wait_for_function(
        "() => document.querySelector('[data-testid=tail]')?.dataset.key === 'r'", timeout=60_000
    )
    found = faults(page, "episode")
    pane = page.get_by_test_id("pane")
    pane.focus()
    for key in ("Home", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_test_id("candidates").get_by_role("option").first).to_be_visible()
    found += faults(page, "episode, picking")
    page.keyboard.press("i")
    page.keyboard.insert_text("然后")
    expect(page.get_by_test_id("preview")).not_to_be_empty()
    found += faults(page, "episode, typing")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("branch").nth(1)).to_be_visible(timeout=30_000)
    found += faults(page, "episode, corrected")
    page.locator("details.menu summary").click()
    found += faults(page, "episode, menu")
    for name in page.eval_on_selector_all(
        "dialog[data-dialog]", "all => all.map((one) => one.dataset.dialog)"
    ):
        page.evaluate("name => document.querySelector(`[data-dialog=${name}]`).showModal()", name)
        found += faults(page, f"episode, dialog {name}")
        page.evaluate("name => document.querySelector(`[data-dialog=${name}]`).close()", name)
    return found
