"""Reading in a real browser: scrolling, finding, copying, right-to-left, hostile Markdown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, browser_project
from tests.browser.desk import Corrector, begin, episode_of, stored_text

pytestmark = pytest.mark.browser

HOSTILE = """<img src=x onerror="window.hacked=1">
[x](javascript:window.hacked=2) [y](data:text/html,<script>alert(1)</script>)

<svg><script>window.hacked=3</script></svg>

![leak](http://127.0.0.1:9/?q=leak)

<style>*{display:none}</style>

- \u202egnp.exe \u2066 [safe](https://example.org/?a=1)

```html
<script>window.hacked=4</script>
```
"""
RTL = "שלום abc 2002 مرحبا"


def written(quick_site: Site, page: Page, text: str, **limits: Any) -> Corrector:
    """An answer in which a person has put the text."""
    quick_site.stack.task("Write it down.", project=quick_site.project, limits=limits)
    desk = begin(quick_site, page)
    desk.has_characters(40)
    desk.is_still(version=1)
    desk.press("Home", "ArrowRight", "i")
    page.keyboard.insert_text(text)
    desk.press("Control+Enter")
    desk.is_still(version=2)
    desk.shows_what_is_stored(quick_site)
    return desk


def test_hostile_text_is_only_text_also_when_rendered(quick_site: Site, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    desk = written(quick_site, page, HOSTILE)
    desk.press("v")
    rendered = page.get_by_test_id("rendered")
    expect(rendered).to_contain_text('<img src=x onerror="window.hacked=1">')
    expect(rendered).to_contain_text("[image: leak]")
    assert rendered.locator("img, script, style, svg, iframe, object, form, input").count() == 0
    code = rendered.locator("pre").first
    assert code.inner_text().strip() == "<script>window.hacked=4</script>"
    links = rendered.locator("a")
    assert [links.nth(i).get_attribute("href") for i in range(links.count())] == [
        "https://example.org/?a=1"
    ]
    assert "noopener" in (links.first.get_attribute("rel") or "")
    assert rendered.locator("[data-mark='U+202E']").count() == 1
    assert page.evaluate("() => window.hacked") is None
    assert [url for url in asked if not url.startswith((quick_site.web.url, "ws"))] == []
    assert desk.shown() == stored_text(quick_site, episode_of(page))
    answer = page.request.get(page.url)
    policy = answer.headers["content-security-policy"]
    assert "'unsafe" not in policy
    assert "script-src 'self'" in policy or "default-src 'self'" in policy

    # The view is remembered, and the tokens are as they were.
    page.reload()
    expect(rendered).to_contain_text("[image: leak]")
    desk.press("v")
    expect(rendered).to_be_hidden()


def test_what_is_copied_is_the_true_text(quick_site: Site, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    odd = "a\tb  c\n\n是 e\u0301 👍🏿 👨\u200d👩\u200d👧\u200d👦 x\u200by 甲𠮷乙\n"
    desk = written(quick_site, page, odd)
    page.get_by_test_id("text").evaluate("text => getSelection().selectAllChildren(text)")
    desk.press("Control+c")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    stored = stored_text(quick_site, episode_of(page))
    assert odd in stored
    assert copied == desk.shown() == stored
    assert not re.search("[␣↵⇥ĠĊ▁✎]", copied)


def test_arrows_move_in_logical_order_through_both_directions(quick_site: Site, page: Page) -> None:
    desk = written(quick_site, page, RTL)
    assert RTL in desk.shown()
    desk.press("Home")
    numbers = []
    for _ in range(12):
        desk.press("ArrowRight")
        said = page.get_by_test_id("live").inner_text()
        numbers.append(int(re.findall(r"token (\d+)", said)[0]))
    assert numbers == sorted(set(numbers))
    block = page.locator(".block").first
    assert block.evaluate("b => getComputedStyle(b).unicodeBidi") == "plaintext"


def test_old_and_new_are_compared_by_key(quick_site: Site, page: Page) -> None:
    desk = written(quick_site, page, "quite another beginning")
    desk.press("d")
    dialog = page.get_by_test_id("diff-dialog")
    expect(dialog).to_contain_text("Correction 1 of 1")
    expect(dialog.locator("ins").first).to_contain_text("quite another beginning")
    expect(dialog.locator("del").first).not_to_be_empty()
    desk.press("d")
    expect(dialog).to_be_hidden()
    desk.press("d", "Escape")
    expect(dialog).to_be_hidden()
    page.reload()
    desk.has_characters(40)
    desk.is_still(version=2)
    desk.press("d")
    expect(dialog.locator("del").first).not_to_be_empty()


def test_the_view_never_rises_against_the_reader_and_far_text_is_found(
    quick_site: Site, page: Page
) -> None:
    model = quick_site.stack.scripted(ttft_ms=1, itl_ms=10, tokens=1500)
    web = quick_site.stack.web(model)
    site = Site(web, model, browser_project(model, {}), quick_site.stack)
    site.stack.task("Go on and on.", project=site.project, limits={"max_tokens": 1500})
    desk = begin(site, page)
    desk.has_characters(2500)
    pane = page.get_by_test_id("pane")
    assert pane.evaluate("pane => pane.scrollTop") > 0
    pane.hover()
    page.mouse.wheel(0, -40)
    page.wait_for_timeout(100)
    tops = []
    length = len(desk.shown())
    for _ in range(15):
        tops.append(pane.evaluate("pane => pane.scrollTop"))
        page.wait_for_timeout(100)
    assert len(desk.shown()) > length + 100
    assert tops == [tops[0]] * len(tops)
    page.get_by_test_id("jump").click()
    page.wait_for_timeout(300)
    assert pane.evaluate("pane => pane.scrollTop") > tops[0]

    start = desk.shown().strip().splitlines()[0][:24]
    assert start in page.evaluate("() => document.querySelector('[data-text]').textContent")
    found = page.evaluate("text => window.find(text, true, true, true)", start)
    assert found
    assert page.evaluate("() => getSelection().toString()") == start
