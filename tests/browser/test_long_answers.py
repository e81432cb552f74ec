"""What a long answer costs, counted in nodes: the work of a frame does not grow with the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import bench
from tests.browser.conftest import Site
from tests.browser.desk import begin

pytestmark = pytest.mark.browser

SCRIPT = Path(bench.__file__).with_name("long.js").read_text(encoding="utf-8")
COUNT = """async ([length, newlines]) => {
  const pane = await bench.pane();
  await bench.fill(length, newlines);
  const text = document.querySelector("[data-text]");
  const first = { spans: text.querySelectorAll(".t").length, blocks: text.children.length };
  let touched = 0;
  const watch = new MutationObserver((records) => {
    for (const one of records) touched += one.addedNodes.length + one.removedNodes.length;
  });
  watch.observe(text, { childList: true, subtree: true });
  const { path } = pane;
  path.append(path.rows.slice(-64, -48), path.pieces.at(-1).segment, 1);
  pane.grew();
  pane.flush();
  for (const one of watch.takeRecords()) touched += one.addedNodes.length;
  watch.disconnect();
  const whole = text.textContent === path.text(pane.blocks.low);
  return { ...first, touched, whole };
}"""


def counted(page: Page, length: int, *, newlines: bool) -> dict[str, Any]:
    """Nodes of the first frame and of one that appends 16 tokens."""
    found: dict[str, Any] = page.evaluate(COUNT, [length, newlines])
    return found


def test_a_frame_touches_as_many_nodes_at_32768_tokens_as_at_1024(
    quick_site: Site, page: Page
) -> None:
    quick_site.stack.task("Go on.", project=quick_site.project)
    desk = begin(quick_site, page)
    desk.has_characters(40)
    desk.is_still(version=1)
    page.evaluate(SCRIPT)
    short = counted(page, 1024, newlines=True)
    long = counted(page, 32768, newlines=True)
    line = counted(page, 8192, newlines=False)
    # Sixteen spans, and a new block where the last one was full.
    assert max(short["touched"], long["touched"], line["touched"]) <= 17
    # The first frame holds spans of the end alone; the rest is text, and all of it is there.
    assert long["spans"] <= 1024
    assert line["spans"] <= 1024
    assert long["blocks"] <= 32768 / 256 + 2
    assert short["whole"]
    assert long["whole"]
    assert line["whole"]
