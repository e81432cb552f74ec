"""The main job in a real browser on the real model: stream, locate, correct, continue, submit."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from stet.traces import selectors
from stet.traces.models import Correction, Episode, Generation, Origin
from tests.browser.conftest import Site
from tests.browser.desk import SLOW, begin, episode_of, stored_text

pytestmark = [pytest.mark.browser, pytest.mark.vllm]


def test_an_answer_is_corrected_by_keyboard_and_submitted(site: Site, page: Page) -> None:
    site.stack.task(
        "Write three sentences about rain and rivers.",
        project=site.project,
        limits={"max_tokens": 48},
    )
    desk = begin(site, page)
    desk.has_characters(20)

    # Locate while it streams, pick the second candidate, and let the model go on.
    desk.press("Home", "ArrowRight", "ArrowRight", "Enter")
    expect(page.get_by_test_id("candidates").get_by_role("option").first).to_be_visible(
        timeout=SLOW
    )
    other = page.get_by_test_id("candidates").locator("[role=option]:not(.was)").first
    desk.press(other.locator("kbd").inner_text())
    desk.is_still(version=2)
    episode = episode_of(page)
    pick = Correction.objects.get(episode=episode)
    assert pick.how in {"pick", "end_here"}
    assert desk.shown().startswith(stored_text(site, episode)[:5])
    after_pick = stored_text(site, episode)

    # Type Chinese in place of a token near the start.
    desk.press("Home", "ArrowRight", "i")
    page.keyboard.insert_text("你好，世界")
    expect(page.get_by_test_id("preview")).not_to_be_empty(timeout=SLOW)
    desk.press("Enter")
    desk.is_still(version=3)
    typed = Correction.objects.filter(episode=episode).latest("pk")
    assert typed.how == "type"
    assert "你好，世界" in desk.shown()
    after_typing = stored_text(site, episode_of(page))

    # Undo brings the picked branch back, redo the typed one.
    desk.press("u")
    expect(desk.text).not_to_contain_text("你好，世界", timeout=SLOW)
    desk.is_still(version=4)
    assert stored_text(site, episode_of(page)) == after_pick
    desk.press("Control+Shift+Z")
    expect(desk.text).to_contain_text("你好，世界", timeout=SLOW)
    desk.is_still(version=5)
    assert stored_text(site, episode_of(page)) == after_typing

    # What is read after a reload is what is stored.
    seen = desk.shown()
    page.reload()
    expect(desk.text).to_contain_text("你好，世界", timeout=SLOW)
    desk.is_still(version=5)
    assert desk.shown() == seen == after_typing

    page.wait_for_timeout(600)
    desk.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible(timeout=SLOW)
    if dialog.get_by_text("Submit all the same?").is_visible():
        # The answer was cut by its limit and has no end token.
        desk.press("Tab", "Enter")
    expect(dialog).to_contain_text("Submitted.", timeout=SLOW)
    episode = episode_of_pk(episode.pk)
    assert episode.status == Episode.Status.ACCEPTED
    assert stored_text(site, episode) == after_typing
    every_continue_sent_exactly_the_stored_prefix(site, episode)


def episode_of_pk(pk: int) -> Episode:
    return Episode.objects.select_related("task", "policy").get(pk=pk)


def every_continue_sent_exactly_the_stored_prefix(site: Site, episode: Episode) -> None:
    generations = list(Generation.objects.filter(episode=episode).order_by("created_at"))
    assert len(generations) >= 2
    prefixes = [list(selectors.prefix_ids(generation)) for generation in generations]
    pairs = list(zip(generations, prefixes, strict=True))
    requests = site.model.requests
    sent = [request["prompt"] for request in requests if request["priority"] == 0]
    assert sent == [prefix for generation, prefix in pairs if generation.candidate is None]
    # A look-ahead that was dropped at once may never have been asked for.
    ahead = [request["prompt"] for request in requests if request["priority"] > 0]
    behind = [prefix for generation, prefix in pairs if generation.candidate is not None]
    assert all(prompt in behind for prompt in ahead)
    path = selectors.head_path(episode)
    assert {Origin.PROMPT, Origin.MODEL, Origin.HUMAN} <= set(path.origins)
    allowed: set[Any] = {"model", "prompt", "logprobs", "stream", "return_token_ids"}
    for request in site.model.requests:
        assert allowed <= set(request)
        assert "prompt_logprobs" not in request
