"""What a tab holds and was shown, read from outside: its store, its acts, its socket."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, Page, Request, WebSocket

# The page keeps its store to itself; whatever tells others of a change can be met there.
FIND_STORE = """
const tell = EventTarget.prototype.dispatchEvent;
EventTarget.prototype.dispatchEvent = function (event) {
  if (this.constructor.name === "EpisodeStore") window.storeOfTest = this;
  return tell.call(this, event);
};
"""
READ_STORE = """() => {
  const store = window.storeOfTest;
  const ready = document.querySelector("[data-desk]")?.dataset.ready;
  if (!store?.episode || !ready || store.ahead) return null;
  const mine = store.episode.corrections.map((one) => one.id);
  return {
    version: store.version, status: store.episode.status, live: store.live,
    ids: [...store.path.ids(store.path.length)], corrections: mine,
    low: store.low, root: store.root,
    text: document.querySelector("[data-testid=text]").textContent,
    quality: document.querySelector("[data-testid=question-quality] input:checked")?.value ?? "",
    comments: document.querySelectorAll("[data-testid=thread]").length,
    figures: document.querySelector("[data-testid=figures]").textContent,
  };
}"""
READ_SAVES = "() => document.querySelector('[data-testid=save-state]')?.dataset.state ?? ''"


@dataclass
class Sent:
    """An act that a page has sent at least once; ``page`` is the one that sent it last."""

    path: str
    body: dict[str, Any]
    page: Page = field(repr=False)
    times: int = 0


@dataclass
class Probe:
    """All tabs of one browser: ``acts`` by key, and the rows that sockets showed by generation."""

    acts: dict[str, Sent] = field(default_factory=dict)
    rows: dict[str, list[list[Any]]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        """Look at every tab that this context opens."""
        context.add_init_script(FIND_STORE)
        context.on("page", self._page)

    def _page(self, page: Page) -> None:
        page.on("request", self._request)
        page.on("websocket", self._socket)
        page.on("pageerror", lambda error: self.faults.append(error.stack or str(error)))
        page.on("dialog", lambda dialog: dialog.accept())

    def _request(self, request: Request) -> None:
        key = request.headers.get("idempotency-key")
        if key is None:
            return
        path = request.url.split("/api/v1", 1)[1]
        body = request.post_data_json or {}
        page = request.frame.page
        sent = self.acts.setdefault(key, Sent(path, body, page))
        assert (sent.path, sent.body) == (path, body), f"{key} was used for two acts"
        sent.page = page
        sent.times += 1

    def _socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._frame)

    def _frame(self, frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "reset":
            self.rows[message["generation"]] = message["rows"]
        if message["type"] != "tokens":
            return
        known, start = self.rows[message["generation"]], message["start"]
        again = known[start : start + len(message["rows"])]
        assert message["rows"][: len(again)] == again, "a token changed after it was shown"
        if start <= len(known):
            known.extend(message["rows"][len(known) - start :])


def read_store(page: Page) -> dict[str, Any] | None:
    """The page's own idea of the episode, None while it is loading or ahead of the server."""
    state: dict[str, Any] | None = page.evaluate(READ_STORE)
    return state


def read_saves(page: Page) -> str:
    """The state of the chip that says whether all is saved."""
    return str(page.evaluate(READ_SAVES))
