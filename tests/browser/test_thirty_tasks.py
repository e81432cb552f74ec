"""A working day in short: thirty tasks in a row leave one socket and a flat heap."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotate.models import Submission
from tests.browser.conftest import Site
from tests.browser.desk import begin

pytestmark = pytest.mark.browser
MARGIN = 1.25
READY = "() => document.querySelector('[data-desk]')?.dataset.ready === 'yes'"
ENDED = "() => document.querySelector('[data-testid=tail]')?.dataset.level !== 'live'"


# Counts the sockets of the tab over its pages: opened, less those that are closing or closed.
COUNT = """(() => {
  const Native = WebSocket;
  const add = n => sessionStorage.setItem('open', Number(sessionStorage.getItem('open')) + n);
  window.WebSocket = class extends Native {
    constructor(...all) {
      super(...all);
      let counted = 1;
      add(1);
      const gone = () => { add(-counted); counted = 0; };
      this.addEventListener('close', gone);
      const close = this.close.bind(this);
      this.close = (...how) => { gone(); close(...how); };
    }
  };
})()"""
OPEN = "() => Number(sessionStorage.getItem('open'))"


def heap(wire: CDPSession) -> int:
    """Bytes of live objects once the garbage is collected."""
    for _ in range(2):
        wire.send("HeapProfiler.collectGarbage")
    return int(wire.send("Runtime.getHeapUsage")["usedSize"])


@pytest.mark.parametrize("tasks", [6, pytest.param(30, marks=pytest.mark.deep)])
def test_tasks_in_a_row_leave_one_socket_and_a_flat_heap(
    quick_site: Site, page: Page, tasks: int
) -> None:
    for number in range(tasks):
        text = f"Say something short, {number}."
        quick_site.stack.task(text, project=quick_site.project, limits={"max_tokens": 6})
    wire = page.context.new_cdp_session(page)
    page.add_init_script(COUNT)
    heaps: list[int] = []
    desk = begin(quick_site, page)
    dialog = page.get_by_role("dialog")
    for number in range(tasks):
        page.wait_for_function(READY)
        desk.has_characters(1)
        page.wait_for_function(ENDED)
        if number % (tasks // 6) == 0:
            heaps.append(heap(wire))
        page.wait_for_function(f"() => ({OPEN})() === 1")
        desk.press("Home", "ArrowRight", "m", "Escape", "Escape", "Control+Enter")
        expect(dialog).to_be_visible()
        if dialog.get_by_test_id("submit-yes").is_visible():
            dialog.get_by_test_id("submit-yes").click()
        expect(dialog).to_contain_text("Submitted.")
        if number < tasks - 1:
            here = re.escape(page.url)
            desk.press("Enter")
            page.wait_for_url(re.compile(rf"^(?!{here}$).*/episodes/\d+/"))
    assert Submission.objects.filter(episode__task__project=quick_site.project).count() == tasks
    assert page.evaluate(OPEN) == 1
    assert max(heaps) < MARGIN * heaps[0], heaps
