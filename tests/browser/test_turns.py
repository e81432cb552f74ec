"""Dialogues and tools in a browser: any turn is corrected, calls are answered, odd tokens shown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from stet.policies.tokenizer import Tokenizer, load_tokenizer
from stet.projects.models import Task
from stet.stack.parts import Web
from stet.traces import selectors
from stet.traces.models import Correction, Generation, Origin
from tests.browser.conftest import Site, browser_project
from tests.browser.desk import Corrector, begin, episode_of
from tests.live.stack import Scripted, Stack
from tests.scripted.use import tool_folder

pytestmark = [pytest.mark.browser]

TOOL = {"type": "function", "function": {"name": "find_item", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def talking(live_database: Stack) -> tuple[Scripted, Web]:
    """A model that says what it is told, with tags for thoughts and calls."""
    model = live_database.scripted(model=tool_folder(), ttft_ms=1, itl_ms=2, tokens=12)
    return model, live_database.web(model)


@pytest.fixture
def talk_site(stack: Stack, talking: tuple[Scripted, Web]) -> Site:
    model, web = talking
    model.forget()
    return Site(web, model, browser_project(model, {}), stack)


@pytest.fixture
def tokenizer() -> Tokenizer:
    return load_tokenizer(tool_folder())


def ids_of(tokenizer: Tokenizer, *pieces: str | bytes) -> list[int]:
    """Tags and bytes by their id, the rest encoded."""
    ids: list[int] = []
    for piece in pieces:
        if isinstance(piece, bytes):
            ids.append(tokenizer.pieces.index(piece))
        elif piece in tokenizer.added:
            ids.append(tokenizer.added[piece])
        else:
            ids += tokenizer.encode(piece)
    return ids


def task_of(site: Site, *talk: tuple[str, str], **row: Any) -> Task:
    messages = [{"role": role, "content": content} for role, content in talk]
    return site.stack.task(project=site.project, messages=messages, **row)


def said(site: Site, *ids: int) -> None:
    model = site.model
    assert isinstance(model, Scripted)
    model.say(*ids)


def ended(desk: Corrector) -> None:
    expect(desk.page.get_by_test_id("tail")).to_contain_text("ended", timeout=20_000)


def test_an_earlier_turn_is_corrected_and_the_later_one_said_again(
    talk_site: Site, page: Page
) -> None:
    talk = [("user", "Name a river."), ("assistant", "The Rhine runs north."), ("user", "More?")]
    task_of(talk_site, *talk)
    desk = begin(talk_site, page)
    ended(desk)
    heads = page.locator(".turn-head").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert heads == ["User", "Assistant", "User", "Assistant"]
    expect(desk.text).to_contain_text("The Rhine runs north.")

    # The last answer, then the one before; nothing was sampled there, so one's own words.
    desk.press("Home", "Home", "ArrowRight", "Enter")
    expect(desk.mode).to_have_text("TYPE")
    expect(page.get_by_test_id("say")).to_contain_text("no candidates")
    page.keyboard.insert_text(" Elbe")
    desk.press("Enter")
    expect(page.get_by_test_id("say")).to_contain_text("1 later turn stays", timeout=20_000)
    ended(desk)
    episode = episode_of(page)
    correction = Correction.objects.get(episode=episode)
    path = selectors.head_path(episode)
    assert correction.segment_id == path.root.pk
    assert [piece.segment.origin for piece in path.pieces[:2]] == [Origin.PROMPT, Origin.HUMAN]
    expect(desk.text).not_to_contain_text("More?")

    # One key says the dropped turn again; also after a reload.
    page.reload()
    ended(desk)
    desk.press("a")
    expect(desk.text).to_contain_text("More?", timeout=20_000)
    ended(desk)
    path = selectors.head_path(episode_of(page))
    assert [span.role for span in selectors.spans_of(path)] == ["user", "user"]
    assert Generation.objects.filter(episode=episode).count() == 3

    # The branch tells what was replaced, also after a reload; arrows and Enter take it up again.
    page.reload()
    branch = page.get_by_role("treeitem").nth(1)
    expect(branch).to_contain_text("Elbe")
    expect(branch.locator(".snippet")).to_contain_text("north", timeout=20_000)
    desk.press("b", "ArrowUp", "Enter")
    expect(desk.text).to_contain_text("The Rhine runs north.", timeout=20_000)
    expect(desk.saved).to_contain_text("saved", timeout=20_000)


def test_a_call_is_answered_as_the_tool(talk_site: Site, page: Page, tokenizer: Tokenizer) -> None:
    call = '\n{"name": "find_item", "arguments": {"query": "<b>tent</b>"}}\n'
    end = tokenizer.eos_ids[0]
    thought = ids_of(tokenizer, "<think>", "\nWhich one?\n", "</think>", "\n\n")
    said(talk_site, *thought, *ids_of(tokenizer, "<tool_call>", call, "</tool_call>"), end)
    said(talk_site, *ids_of(tokenizer, "There is one tent."), end)
    task_of(talk_site, ("user", "Is there a tent?"), tools=[TOOL])
    desk = begin(talk_site, page)
    tail = page.get_by_test_id("tail")
    expect(tail).to_contain_text("calls find_item", timeout=20_000)
    expect(page.locator(".turn-head.reasoning")).to_have_attribute("aria-expanded", "true")
    assert page.locator(".turn-head.call").get_attribute("aria-label") == "Tool call · find_item"
    assert page.locator(".block.call").first.inner_text().startswith("<tool_call>")

    # A thought folds by its own button, and opens for the cursor.
    page.locator(".turn-head.reasoning").press("Enter")
    expect(page.locator(".block.reasoning")).to_be_hidden()
    desk.page.get_by_test_id("pane").focus()
    desk.press("Home")
    expect(page.locator(".block.reasoning")).to_be_visible()

    desk.press("Escape", "r")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("find_item")
    expect(dialog.locator("pre")).to_contain_text("<b>tent</b>")
    dialog.get_by_test_id("result").fill('{"items": 1')
    expect(dialog).to_contain_text("not complete")
    dialog.get_by_test_id("result").fill('{"items": 1}')
    desk.press("Control+Enter")
    expect(desk.text).to_contain_text("There is one tent.", timeout=20_000)
    ended(desk)
    path = selectors.head_path(episode_of(page))
    origins = [piece.segment.origin for piece in path.pieces]
    assert origins == [Origin.PROMPT, Origin.MODEL, Origin.TOOL, Origin.MODEL]
    assert "Tool · find_item" in page.locator(".turn-head.tool").get_attribute("aria-label")  # type: ignore[operator]
    prompts = talk_site.model.prompts()  # type: ignore[operator]
    assert prompts[-1] == list(path.ids[: path.pieces[-1].start])

    # The call's tokens are as correctable as any.
    desk.press("Home", "Home", "j", "j", "j", "ArrowRight", "ArrowRight", "Enter")
    expect(page.get_by_test_id("candidate").first).to_be_visible(timeout=20_000)


ODD: list[Any] = [
    # Three tokens of one face: one cluster of three ticks.
    ((b"\xf0", b"\x9f\x98", b"\x8a"), True, "😊", 3),
    # Stopped after the second: its bytes as a chip.
    ((b"\xf0", b"\x9f\x98"), False, "F0 9F 98", 0),
]


@pytest.mark.parametrize(("pieces", "ends", "shown", "ticks"), ODD, ids=["whole", "stopped"])
def test_a_torn_character(
    talk_site: Site,
    page: Page,
    tokenizer: Tokenizer,
    pieces: tuple[bytes, ...],
    ends: bool,
    shown: str,
    ticks: int,
) -> None:
    ids = ids_of(tokenizer, "So ", *pieces)
    said(talk_site, *ids, *(tokenizer.eos_ids[:1] if ends else ()))
    task_of(talk_site, ("user", "Smile."))
    desk = begin(talk_site, page)
    expect(page.get_by_test_id("tail")).to_contain_text(re.compile("ended|limit|Stopped"))
    if ticks:
        assert "😊" in desk.shown()
        expect(page.locator(".t[data-ticks]")).to_have_attribute("data-ticks", str(ticks))
        desk.press("Home", *["ArrowRight"] * (len(ids) - 3))
        expect(page.locator(".t.at")).to_have_count(3)
    else:
        chips = page.locator(".odd.hex")
        marks = chips.evaluate_all("all => all.map((one) => one.dataset.mark)")
        assert " ".join(marks) == shown
    path = selectors.head_path(episode_of(page))
    own = path.ids[path.root.length :]
    assert list(own[: len(ids)]) == ids
    assert tokenizer.bytes_of(own[: len(ids)]) == b"So " + b"".join(pieces)


def test_ids_that_no_text_becomes_are_sent_as_they_are(
    talk_site: Site, page: Page, tokenizer: Tokenizer
) -> None:
    """The model wrote a word in pieces; the encoder would cut it elsewhere."""
    ids = ids_of(tokenizer, b"un", b"believ", b"able")
    assert tokenizer.encode("unbelievable") != ids
    assert tokenizer.text_of(ids) == "unbelievable"
    said(talk_site, *ids, *ids_of(tokenizer, " then"), tokenizer.eos_ids[0])
    task_of(talk_site, ("user", "A word."))
    desk = begin(talk_site, page)
    ended(desk)
    desk.press("Home", "ArrowRight", "ArrowRight", "ArrowRight", "Enter")
    other = page.get_by_test_id("candidates").locator("[role=option]:not(.was)").first
    other.click(timeout=20_000)
    expect(page.get_by_test_id("say")).to_be_empty()
    ended(desk)
    path = selectors.head_path(episode_of(page))
    prompt = talk_site.model.prompts()[-1]  # type: ignore[operator]
    assert prompt == list(path.ids[: path.pieces[-1].start])
    assert prompt[path.root.length :][:3] == ids


def test_marker_glyphs_never_reach_the_page(
    talk_site: Site, page: Page, tokenizer: Tokenizer
) -> None:
    pieces = (b"the", b" the", b"\n", b"\n\n", "是".encode(), b"\t")
    known = [piece for piece in pieces if piece in tokenizer.pieces]
    assert len(known) == len(pieces)
    said(talk_site, *ids_of(tokenizer, *known), tokenizer.eos_ids[0])
    task_of(talk_site, ("user", "Odd."))
    desk = begin(talk_site, page)
    ended(desk)
    assert desk.shown() == "the the\n\n\n是\t<|im_end|>"
    body = page.locator("body").inner_text()
    assert not re.search("[ĠĊ▁]|<0x|æĺ¯", body)
    copied = page.evaluate(
        "() => { const r = document.createRange(); r.selectNodeContents("
        "document.querySelector('[data-testid=text]')); return r.toString(); }"
    )
    assert copied == "the the\n\n\n是\t<|im_end|>"


def test_broken_and_hostile_messages_are_only_text(talk_site: Site, page: Page) -> None:
    hostile = '<img src=x onerror="window.hit=1"><svg><script>window.hit=1</script></svg>\u202e'
    broken = {"name": "find_item", "arguments": '{"q": [1, 2'}
    first = {"role": "assistant", "content": None, "tool_calls": [{"function": broken}]}
    messages = [
        {"role": "system", "content": "word " * 500},
        {"role": "user", "content": hostile},
        {**first, "tool_calls": [{"id": "c1", "type": "function", **first["tool_calls"][0]}]},
        {"role": "tool", "content": "row\n" * 300, "tool_call_id": "c1"},
    ]
    talk_site.stack.task(project=talk_site.project, messages=messages, tools=[TOOL])
    begin(talk_site, page)
    expect(page.get_by_test_id("tail")).to_contain_text("ended", timeout=20_000)
    cards = page.get_by_test_id("message")
    expect(cards).to_have_count(4)
    expect(cards.nth(1)).to_contain_text("onerror")
    expect(cards.nth(2)).to_contain_text("find_item")
    fold = cards.nth(0).locator("details")
    fold.locator("summary").press("Enter")
    assert len(fold.locator(".whole").inner_text()) > 2000
    assert page.evaluate("() => window.hit") is None
    # The long result is folded in the text as well, and its button opens it.
    head = page.locator(".turn-head.tool")
    expect(head).to_have_attribute("aria-expanded", "false")
    head.press("Enter")
    expect(head).to_have_attribute("aria-expanded", "true")
    assert json.dumps(messages)
