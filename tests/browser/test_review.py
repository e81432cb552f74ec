"""A reviewer sends an answer back from the keyboard; its author finds it on top."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from stet.accounts.roles import Role
from stet.traces.models import Episode
from tests.browser.conftest import Site
from tests.browser.desk import begin, episode_of, sign_in

pytestmark = pytest.mark.browser


def ready(page: Page) -> None:
    expect(page.locator("[data-desk][data-ready=yes]")).to_be_attached()


def submitted(page: Page) -> Episode:
    ready(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelector('dialog[open]')")
    if (ask := page.get_by_test_id("submit-yes")).is_visible():
        ask.click()
    expect(page.get_by_test_id("done-dialog")).to_be_visible()
    return episode_of(page)


def test_work_goes_back_and_comes_again(quick_site: Site, page: Page, browser: Browser) -> None:
    site = quick_site
    site.project.settings = {"review": True}
    site.project.save(update_fields=["settings"])
    site.stack.task("Tell me of the sea.", project=site.project)
    desk = begin(site, page)
    desk.is_still(version=1)
    episode = submitted(page)
    assert episode.status == "submitted"

    reviewing = browser.new_context().new_page()
    sign_in(site, reviewing, Role.REVIEWER)
    reviewing.goto(f"{site.web.url}/projects/{site.project.pk}/review/next/")
    reviewing.wait_for_url(re.compile(rf"/episodes/{episode.pk}/"))
    expect(reviewing.get_by_test_id("accept")).to_be_visible()
    expect(reviewing.get_by_test_id("say")).to_contain_text("Handed in by")
    ready(reviewing)
    reviewing.keyboard.press("Shift+R")
    reviewing.get_by_test_id("return-text").fill("Name the sea.")
    reviewing.keyboard.press("Enter")
    reviewing.wait_for_url(re.compile(r"/review/$"))
    expect(reviewing.get_by_test_id("returned")).to_contain_text("Name the sea.")

    page.goto(f"{site.web.url}/work/")
    expect(page.get_by_text("Name the sea.")).to_be_visible()
    page.goto(f"{site.web.url}/")
    page.get_by_role("button", name="Take the next task").first.click()
    page.wait_for_url(re.compile(rf"/episodes/{episode.pk}/"))
    submitted(page)

    reviewing.goto(f"{site.web.url}/projects/{site.project.pk}/review/next/")
    expect(reviewing.get_by_test_id("accept")).to_be_visible()
    ready(reviewing)
    reviewing.keyboard.press("Control+Enter")
    reviewing.wait_for_url(re.compile(r"/review/$"))
    episode.refresh_from_db()
    assert episode.status == "accepted"
    reviewing.context.close()
