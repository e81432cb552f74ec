"""Comments on tokens: written by keyboard, kept over a reload, seen at once in another tab."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Comment
from stet.accounts.roles import Role
from tests.browser.conftest import Site
from tests.browser.desk import episode_of
from tests.browser.test_saving import answered, pick_another

pytestmark = pytest.mark.browser
MARKED = "() => [...(CSS.highlights.get('comment') ?? [])].map(String)"


def test_a_comment_on_a_token_with_a_mention_and_its_branch(quick_site: Site, page: Page) -> None:
    reviewer = quick_site.person(Role.REVIEWER)
    desk = answered(quick_site, page)
    desk.press("Home", "ArrowRight", "ArrowRight", "m")
    field = page.get_by_test_id("comment-text")
    expect(field).to_be_focused()
    page.keyboard.type(f"Is this so? @{reviewer.username}")
    expect(page.locator("#mention-list .on")).to_contain_text(f"@{reviewer.username}")
    desk.press("Enter")
    expect(field).to_have_value(f"Is this so? @{reviewer.username} ")
    page.wait_for_timeout(300)
    page.reload()
    desk.has_characters(5)
    expect(field).to_have_value(f"Is this so? @{reviewer.username} ")
    other = page.context.new_page()
    other.goto(page.url)
    page.bring_to_front()
    field.focus()
    desk.press("Control+Enter")
    thread = page.get_by_test_id("thread")
    expect(thread).to_contain_text("Is this so?")
    expect(other.get_by_test_id("thread")).to_contain_text("Is this so?", timeout=3000)
    comment = Comment.objects.get(episode=episode_of(page))
    assert comment.anchor["level"] == "token"
    assert [row.user for row in comment.mentions.all()] == [reviewer]
    assert comment.anchor["quote"] in page.evaluate(MARKED)

    # Another branch: the comment says that it is elsewhere, and leads back.
    other.close()
    pick_another(page, desk)
    desk.is_still(version=2)
    expect(thread).to_contain_text("On another branch")
    assert page.evaluate(MARKED) == []
    thread.get_by_test_id("go-there").click()
    desk.is_still(version=3)
    expect(thread).not_to_contain_text("On another branch")
    thread.get_by_test_id("resolve").click()
    expect(page.get_by_test_id("comments")).to_contain_text("1 resolved")
    assert comment.states.get().resolved
