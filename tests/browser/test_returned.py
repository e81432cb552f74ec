"""Work that came back, and a guideline that changes while one works."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Submission
from annotate.services import episode_return, episode_submit
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.services import guideline_create
from tests.browser.conftest import Site
from tests.browser.desk import episode_of
from tests.browser.test_saving import answered, pick_another

pytestmark = pytest.mark.browser
WITHOUT_INS = """node => [...node.children].filter(one => one.tagName !== 'INS')
    .map(one => one.textContent).join('')"""


def test_a_return_shows_its_comment_and_the_changes_since(quick_site: Site, page: Page) -> None:
    desk = answered(quick_site, page)
    episode = episode_of(page)
    episode_submit(user=episode.author, episode_id=episode.pk, if_head=1, answers={})
    expect(page.get_by_test_id("say")).to_contain_text("changed in another tab")
    reviewer = quick_site.person(Role.REVIEWER)
    comment = "Please look at the second word."
    episode_return(user=reviewer, episode_id=episode.pk, if_head=2, comment=comment)
    expect(page.get_by_test_id("say")).to_contain_text("came back with a comment")
    page.reload()
    desk.has_characters(5)
    back = page.get_by_test_id("returned")
    expect(back).to_contain_text(comment)
    expect(back).to_contain_text("nothing changed since")
    first = desk.shown()
    pick_another(page, desk)
    desk.is_still(version=4)
    back.get_by_test_id("compare").click()
    changes = back.get_by_test_id("changes")
    expect(changes.locator("del").first).to_be_visible()
    old = changes.evaluate(WITHOUT_INS)
    assert old.replace("↵", "") == first.replace("↵", "")
    desk.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    if dialog.get_by_text("Submit all the same?").is_visible():
        desk.press("Tab", "Enter")
    expect(dialog).to_contain_text("Submitted.")
    expect(back).to_be_hidden()
    assert list(Submission.objects.filter(episode=episode).values_list("n", flat=True)) == [1, 2]


def test_a_newer_guideline_is_told_and_the_one_shown_is_recorded(
    quick_site: Site, page: Page
) -> None:
    owner = User.objects.get(memberships__project=quick_site.project, memberships__role="owner")
    guideline_create(project=quick_site.project, user=owner, text="Be brief. Be kind.")
    desk = answered(quick_site, page)
    guideline_create(project=quick_site.project, user=owner, text="Be brief. Be *exact*.")
    notice = page.get_by_test_id("guideline-notice")
    expect(notice).to_contain_text("Version 2 is out", timeout=3000)
    notice.get_by_text("What changed").click()
    expect(notice.locator("del")).to_have_text("kind")
    desk.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    if dialog.get_by_text("Submit all the same?").is_visible():
        desk.press("Tab", "Enter")
    expect(dialog).to_contain_text("Submitted.")
    first = Submission.objects.get(episode=episode_of(page))
    assert first.guideline is not None
    assert first.guideline.version == 1
    page.get_by_test_id("reopen").click()
    expect(dialog).to_be_hidden()
    notice.get_by_role("button", name="Work by the newer version").click()
    expect(page.get_by_test_id("guideline").locator("em")).to_have_text("exact")
    page.get_by_test_id("submit").click()
    expect(dialog).to_be_visible()
    if dialog.get_by_text("Submit all the same?").is_visible():
        desk.press("Tab", "Enter")
    expect(dialog).to_contain_text("Submitted.")
    second = Submission.objects.get(episode=episode_of(page), n=2)
    assert second.guideline is not None
    assert second.guideline.version == 2
