"""Keys in a real browser: every key of the registry on two layouts, own keys, input methods."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.desk import begin

pytestmark = pytest.mark.browser

# Where AZERTY prints what QWERTY prints elsewhere: the key's place, and Shift or AltGr.
AZERTY: dict[str, tuple[str, int]] = {
    "a": ("KeyQ", 0),
    "q": ("KeyA", 0),
    "z": ("KeyW", 0),
    "w": ("KeyZ", 0),
    "m": ("Semicolon", 0),
    ",": ("KeyM", 0),
    ".": ("Comma", 8),
    "/": ("Period", 8),
    "?": ("KeyM", 8),
    "[": ("Digit5", 3),
    "]": ("Minus", 3),
}
QWERTY: dict[str, tuple[str, int]] = {
    ",": ("Comma", 0),
    ".": ("Period", 0),
    "/": ("Slash", 0),
    "?": ("Slash", 8),
    "[": ("BracketLeft", 0),
    "]": ("BracketRight", 0),
}
MODIFIERS = {"Alt": 1, "Ctrl": 2, "Shift": 8}
FOLDER = "new URL('.', document.querySelector('script[src*=\"corrector/main\"]').src)"
REGISTRY = f"async () => (await import({FOLDER} + 'keys.js')).BINDINGS"
RECORD = f"""async () => {{
  const {{ Commands }} = await import({FOLDER} + 'commands.js');
  window.ran = [];
  Commands.prototype.own ??= Commands.prototype.run;
  Commands.prototype.run = (id) => {{ window.ran.push(id); }};
}}"""
ACT_AGAIN = f"""async () => {{
  const {{ Commands }} = await import({FOLDER} + 'commands.js');
  Commands.prototype.run = Commands.prototype.own;
}}"""


def strike(page: Page, cdp: Any, written: str, layout: dict[str, tuple[str, int]]) -> None:
    """Press a key of the table as the browser reports it on the layout."""
    *held, key = written.replace("++", "+Plus").split("+") if len(written) > 1 else [written]
    modifiers = sum(MODIFIERS[name] for name in held)
    if key.isdigit():
        # AZERTY prints digits with Shift; without it the place still means the digit.
        code, own = f"Digit{key}", 0
        shown = key if layout is QWERTY else "à&é\"'(-è_ç"[int(key)]
    elif key in layout:
        code, own = layout[key]
        shown = key
    else:
        code, own = f"Key{key.upper()}" if len(key) == 1 and key.isalpha() else key, 0
        shown = key
    if key == " ":
        code = "Space"
    event = {"key": shown, "code": code, "modifiers": modifiers | own}
    cdp.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **event})
    cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})


def walk(page: Page, mode: str, layout: dict[str, tuple[str, int]]) -> None:
    """Press every key of the mode and see that its command runs, and nothing else."""
    cdp = page.context.new_cdp_session(page)
    page.evaluate(RECORD)
    for binding in page.evaluate(REGISTRY):
        if mode not in binding["modes"]:
            continue
        for key in binding["keys"]:
            page.evaluate("() => { window.ran = []; }")
            strike(page, cdp, key, layout)
            assert page.evaluate("() => window.ran") == [binding["id"]], f"{mode}: {key}"
    page.evaluate(ACT_AGAIN)


@pytest.mark.parametrize("layout", [QWERTY, AZERTY], ids=["qwerty", "azerty"])
def test_every_key_of_the_registry_acts(
    quick_site: Site, page: Page, layout: dict[str, tuple[str, int]]
) -> None:
    quick_site.stack.task("Press every key.", project=quick_site.project)
    desk = begin(quick_site, page)
    desk.has_characters(40)
    desk.is_still(version=1)
    walk(page, "read", layout)
    desk.press("ArrowRight")
    walk(page, "locate", layout)
    desk.press("Enter")
    expect(page.get_by_test_id("candidate").first).to_be_visible()
    walk(page, "pick", layout)
    desk.press("i")
    expect(desk.mode).to_have_text("TYPE")
    walk(page, "type", layout)


def test_an_own_key_acts_in_every_tab_and_captions_follow(quick_site: Site, page: Page) -> None:
    quick_site.stack.task("Change a key.", project=quick_site.project)
    desk = begin(quick_site, page)
    desk.has_characters(40)
    desk.is_still(version=1)
    other = page.context.new_page()
    other.goto(f"{quick_site.web.url}/account")

    row = other.locator("[data-binding=help]")
    row.get_by_role("button", name="Change").click()
    other.keyboard.press("j")
    expect(other.get_by_test_id("key-status")).to_contain_text("Next sentence")
    other.keyboard.press("Control+t")
    expect(other.get_by_test_id("key-status")).to_contain_text("belongs to the browser")
    other.keyboard.press("h")
    expect(other.get_by_test_id("key-status")).to_contain_text("Saved")

    expect(page.get_by_test_id("help")).to_have_text("h")
    expect(page.get_by_test_id("hints")).to_contain_text("h keys")
    desk.press("?")
    expect(page.get_by_test_id("help-dialog")).to_be_hidden()
    desk.press("h")
    expect(page.get_by_test_id("help-dialog")).to_contain_text("Show the keys")
    page.reload()
    expect(page.get_by_test_id("help")).to_have_text("h")

    other.get_by_test_id("keys-reset").click()
    expect(page.get_by_test_id("help")).to_have_text("?")


def test_the_enter_of_an_input_method_takes_nothing(quick_site: Site, page: Page) -> None:
    quick_site.stack.task("Compose.", project=quick_site.project)
    desk = begin(quick_site, page)
    desk.has_characters(40)
    desk.is_still(version=1)
    desk.press("ArrowRight", "i")
    area = page.get_by_test_id("type")
    composed = """(area, [first, last]) => {
      const told = { bubbles: true, cancelable: true };
      const key = (more) => new KeyboardEvent("keydown", { ...told, ...more });
      area.dispatchEvent(key({ key: "Process", code: "KeyX", keyCode: 229 }));
      area.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
      area.value = first;
      area.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true }));
      area.value = last;
      area.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: last }));
      area.dispatchEvent(key({ key: "Enter", code: "Enter", keyCode: 229 }));
      return area.value;
    }"""
    assert area.evaluate(composed, ["xiuzheng", "修正"]) == "修正"
    expect(desk.mode).to_have_text("TYPE")
    expect(page.get_by_test_id("preview")).not_to_be_empty()
    # Outside the text the same key locates nothing either.
    desk.press("Escape", "Escape", "Escape")
    page.get_by_test_id("pane").evaluate(
        "pane => pane.dispatchEvent(new KeyboardEvent('keydown',"
        " { key: 'Enter', code: 'Enter', keyCode: 229, bubbles: true }))"
    )
    expect(desk.mode).to_have_text("READ")
    desk.is_still(version=1)
