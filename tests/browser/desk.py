"""The corrector as its reader sees it, and what the database holds beside it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.policies.tokenizer import load_tokenizer
from stet.traces import selectors
from stet.traces.models import Episode, Generation
from stet.traces.rows import path_rows
from tests.browser.conftest import PASSWORD, Site

# The model answers on a CPU that the browser shares.
SLOW = 180_000


class Corrector:
    """The page as its reader sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.text = page.get_by_test_id("text")
        self.mode = page.get_by_test_id("mode")
        self.saved = page.get_by_test_id("save-state")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def shown(self) -> str:
        return str(self.text.evaluate("node => node.textContent"))

    def is_still(self, *, version: int) -> None:
        """The act that made ``version`` is stored, its stream has ended, and the page shows it."""
        number = int(re.findall(r"/episodes/(\d+)/", self.page.url)[0])
        for _ in range(SLOW // 100):
            episode = Episode.objects.get(pk=number)
            running = Generation.objects.filter(episode=number, status="running")
            if episode.version >= version and not running.exists():
                break
            self.page.wait_for_timeout(100)
        assert episode.version == version
        expect(self.saved).to_have_text(re.compile("saved|nothing to save"), timeout=SLOW)

    def shows_what_is_stored(self, site: Site) -> None:
        """The page has taken what the server made of the last act, and what followed it."""
        stored = stored_text(site, episode_of(self.page))
        script = "text => document.querySelector('[data-testid=text]').textContent === text"
        self.page.wait_for_function(script, arg=stored, timeout=SLOW)

    def has_characters(self, n: int) -> None:
        script = "n => document.querySelector('[data-testid=text]').textContent.length >= n"
        self.page.wait_for_function(script, arg=n, timeout=SLOW)


def sign_in(site: Site, page: Page, role: Role = Role.ANNOTATOR) -> User:
    """A new person, signed in with the keyboard."""
    user = site.person(role)
    page.goto(f"{site.web.url}/")
    page.get_by_label("User name").fill(user.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.web.url}/")
    return user


def begin(site: Site, page: Page) -> Corrector:
    """Sign in and take the next task."""
    sign_in(site, page)
    page.get_by_role("button", name="Take the next task").first.click()
    page.wait_for_url(re.compile(r"/episodes/\d+/"))
    return Corrector(page)


def episode_of(page: Page) -> Episode:
    number = re.search(r"/episodes/(\d+)/", page.url)
    assert number is not None
    return Episode.objects.select_related("task", "policy").get(pk=int(number[1]))


def stored_text(site: Site, episode: Episode) -> str:
    """The answer as the database holds it: whole characters, and the names of end tokens.

    An answer that its limit cut inside a character shows the bytes of the rest as a chip.
    """
    path = selectors.head_path(episode)
    rows = path_rows(path, load_tokenizer(site.model.model))
    return "".join(row[1] for row in rows[path.root.length :])
