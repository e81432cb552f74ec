"""Somebody who does anything, at random, on a bad line; and the comparison at every quiet point."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext
from playwright.sync_api import TimeoutError as TooLong

from annotate.services import question_save
from stet.accounts.models import User
from stet.traces.models import Generation
from tests.browser.comparing import difference, reckon, unanswered
from tests.browser.conftest import Site
from tests.browser.desk import sign_in
from tests.browser.luck import REPLIES, Step
from tests.browser.probe import Probe, read_saves
from tests.faultproxy import FaultProxy
from tests.live.machine import PROMPTS

PATIENCE_MS = 60_000


@dataclass
class Annotator:
    site: Site
    proxy: FaultProxy
    context: BrowserContext
    luck: random.Random
    probe: Probe = field(default_factory=Probe)
    episodes: list[int] = field(default_factory=list)
    compared: int = 0
    done: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        self.probe.follow(self.context)
        self.context.set_default_timeout(20_000)
        owner = User.objects.get(memberships__project=self.site.project, memberships__role="owner")
        scale = {"key": "quality", "kind": "scale", "min": 1, "max": 5, "hotkey": "g"}
        question_save(user=owner, project=self.site.project, label="Quality?", **scale)
        self.page = self.context.new_page()
        sign_in(self.site, self.page)
        self.take()

    def take(self) -> None:
        """The next task of the queue."""
        talk = PROMPTS[len(self.episodes) % len(PROMPTS)]
        self.site.stack.task(*talk, project=self.site.project)
        self.page.goto(f"{self.proxy.url}/projects/{self.site.project.pk}/")
        self.page.get_by_role("button", name="Take the next task").first.click()
        self.page.wait_for_url(re.compile(r"/episodes/\d+/"))
        self.arrive()

    def arrive(self) -> None:
        """The page is ready for keys."""
        self.page.wait_for_function("() => document.querySelector('[data-desk]')?.dataset.ready")
        number = int(re.findall(r"/episodes/(\d+)/", self.page.url)[0])
        if number not in self.episodes:
            self.episodes.append(number)

    @property
    def episode(self) -> int:
        return self.episodes[-1]

    # Steps

    def step(self) -> None:
        step = Step.draw(self.luck)
        self.done.append(f"{time.monotonic() - self.began:.1f} s, task {self.episode}: {step}")
        self.ready()
        getattr(self, f"do_{step.what}")(step)
        self.page.wait_for_timeout(step.wait)

    def ready(self) -> None:
        """No dialog is open, the text has the focus, and the episode can be worked on."""
        for _ in range(20):
            if self.page.locator("dialog[open]").count() == 0:
                break
            self.press("Escape")
            self.page.wait_for_timeout(50)
        again = self.page.locator("[data-testid=tail] [data-run=reopen]")
        if again.count() and again.first.is_visible():
            with suppress(TooLong):
                # It may be open again already, by an act that is on its way.
                again.first.click(timeout=1500)
            self.page.wait_for_timeout(300)
        self.press("Escape", "Escape")
        self.page.get_by_test_id("pane").focus()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def locate(self, step: Step) -> None:
        """The cursor on some character near the beginning or the end of the answer."""
        from_end = step.share > 0.6
        self.press("End" if from_end else "Home")
        for _ in range(int(step.share * 10) + 1):
            self.press("ArrowLeft" if from_end else "ArrowRight")

    def do_pick(self, step: Step) -> None:
        self.locate(step)
        self.press("Enter")
        self.page.wait_for_timeout(step.wait // 2)
        self.press(step.digit)

    def do_click(self, step: Step) -> None:
        spans = self.page.locator("[data-testid=text] .t:visible")
        count = spans.count()
        if count:
            try:
                spans.nth(int(step.share * (count - 1))).click(timeout=1500)
            except TooLong:
                return
            self.press(step.digit)

    def do_give_up(self, step: Step) -> None:
        self.locate(step)
        self.press("Enter")
        self.page.wait_for_timeout(step.wait // 2)
        self.press("Escape")

    def do_type(self, step: Step) -> None:
        self.locate(step)
        self.press("i")
        self.page.keyboard.insert_text(step.text)
        self.page.wait_for_timeout(step.wait // 2)
        self.press("Control+Enter" if "\n" in step.text else "Enter")

    def do_filter(self, step: Step) -> None:
        self.locate(step)
        self.press("Enter", "/")
        self.page.keyboard.insert_text(step.text[:1])
        self.page.wait_for_timeout(step.wait // 2)
        self.press("Enter")

    def do_end_here(self, step: Step) -> None:
        self.locate(step)
        self.press("e")

    def do_go_on(self, step: Step) -> None:
        self.press("c")

    def do_hold(self, step: Step) -> None:
        self.press("Space")
        self.page.wait_for_timeout(step.wait)
        self.press("Space")

    def do_undo(self, step: Step) -> None:
        self.press(*["u"] * step.n)

    def do_redo(self, step: Step) -> None:
        self.press(*["Control+Shift+Z"] * step.n)

    def do_branch(self, step: Step) -> None:
        buttons = self.page.get_by_test_id("branch")
        count = buttons.count()
        if count:
            buttons.nth(int(step.share * (count - 1))).click()

    def do_reason(self, step: Step) -> None:
        self.press("w", step.digit)

    def do_reply(self, step: Step) -> None:
        self.press("r")
        if self.page.get_by_test_id("reply-dialog").is_visible():
            self.page.keyboard.insert_text(REPLIES[int(step.share * len(REPLIES))])
            self.press("Enter")

    def do_answer(self, step: Step) -> None:
        self.press("g", str(1 + int(step.share * 5)))

    def do_comment(self, step: Step) -> None:
        self.locate(step)
        self.press("m")
        self.page.keyboard.insert_text(f"{step.text} {len(self.done)}")
        self.press("Control+Enter")

    def do_reload(self, step: Step) -> None:
        self.page.reload()
        self.arrive()

    def do_reopen_tab(self, step: Step) -> None:
        """The tab is closed in the midst of an act, and the address opened in another."""
        url = self.page.url
        self.do_type(step)
        self.page.close()
        self.page = self.context.new_page()
        self.page.goto(url)
        self.arrive()

    def do_second_tab(self, step: Step) -> None:
        """An act in another tab, which the first one hears of by itself."""
        first = self.page
        # A draft is compared when it is written, so another tab need not hear of it.
        self.proxy.heal()
        self.saved()
        self.page = self.context.new_page()
        self.page.goto(first.url)
        self.arrive()
        self.page.get_by_test_id("pane").focus()
        (self.do_type if step.n > 1 else self.do_undo)(step)
        if step.share > 0.5:
            self.quiet()
        self.page.close()
        self.page = first
        self.page.bring_to_front()

    def do_offline(self, step: Step) -> None:
        self.context.set_offline(True)
        self.anything(step)
        self.page.wait_for_timeout(step.wait)
        self.context.set_offline(False)

    def do_line_down(self, step: Step) -> None:
        self.proxy.down = True
        self.proxy.cut_sockets()
        self.anything(step)
        self.page.wait_for_timeout(step.wait)
        self.proxy.heal()

    def do_sockets(self, step: Step) -> None:
        self.anything(step)
        self.proxy.cut_sockets()

    def do_fault(self, step: Step) -> None:
        self.proxy.fail(*step.faults)
        self.anything(step)
        if step.share > 0.7:
            self.page.wait_for_timeout(step.wait)
            self.do_reload(step)

    def anything(self, step: Step) -> None:
        """One of the common acts, drawn with the step."""
        acts = (self.do_pick, self.do_type, self.do_undo, self.do_go_on, self.do_answer)
        acts[int(step.share * 1000) % len(acts)](step)

    def do_later(self, step: Step) -> None:
        self.leave("l", step)

    def do_submit(self, step: Step) -> None:
        self.page.wait_for_timeout(550)
        self.leave("Control+Enter", step)

    def do_skip(self, step: Step) -> None:
        self.leave("s", step)

    def do_flag(self, step: Step) -> None:
        self.leave("f", step)

    def leave(self, key: str, step: Step) -> None:
        """An end of the work, then the next task or this one again."""
        self.press(key)
        yes = self.page.locator("dialog[open] button[value=yes]")
        if yes.count():
            yes.click()
        done = self.page.get_by_test_id("done-dialog")
        try:
            done.wait_for(timeout=4000)
        except TooLong:
            return
        if step.n == 1:
            done.get_by_test_id("reopen").click()
            return
        self.quiet()
        self.take()

    def quiet(self) -> None:
        """Nothing is on its way: what the page shows is what is stored, and all acts were told."""
        self.done.append(f"{time.monotonic() - self.began:.1f} s: quiet")
        self.context.set_offline(False)
        self.proxy.heal()
        self.wait(self.told, "the page never said that all is saved")
        running = Generation.objects.filter(episode=self.episode, status="running")
        self.wait(lambda: not running.exists(), "a generation never ended")
        self.wait(lambda: not self.difference(), "")
        assert not self.probe.faults, self.probe.faults
        self.compared += 1

    def told(self) -> bool:
        """Whether all is saved and answered; a page that says so too early is at fault.

        What a closed tab left is taken over by the open one, which knows nothing of it before.
        """
        sent = unanswered(self.proxy, self.probe)
        if read_saves(self.page) != "saved":
            return False
        self.page.wait_for_timeout(100)
        left = unanswered(self.proxy, self.probe)
        early = [one for one in left if one in sent and not one.page.is_closed()]
        assert not early, f"the page says saved, but these acts were never answered: {early}"
        return not left

    def saved(self) -> None:
        self.wait(lambda: read_saves(self.page) == "saved", "the page never said that all is saved")

    def difference(self) -> str:
        return difference(self.page, self.episode, self.site.model.model)

    def wait(self, condition: Callable[[], bool], why: str) -> None:
        for _ in range(PATIENCE_MS // 200):
            if condition():
                return
            self.page.wait_for_timeout(200)
        why = f"{why}; the chip says {read_saves(self.page)}" if why else self.difference()
        raise AssertionError(why)

    def end(self) -> None:
        self.quiet()
        reckon(self.proxy, self.probe, self.episodes)
