"""A client of the machine interface, and the socket of one tab."""

from __future__ import annotations

import http.client
import json
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

PATIENCE = 90.0
keys = count(1)


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    headers: dict[str, str]

    @property
    def code(self) -> str:
        """The code of a problem document."""
        assert self.headers["content-type"].startswith("application/problem+json"), self
        return str(self.body["code"])

    @property
    def code_or_none(self) -> str | None:
        return None if self.status < 300 else self.code


class Api:
    """One person's program: JSON over a kept connection, reconnecting when it was closed."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key
        parts = urlsplit(url)
        self._link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)

    def raw(
        self, method: str, path: str, data: bytes | None = None, **headers: str
    ) -> tuple[int, bytes, dict[str, str]]:
        """A request below /api/v1 with any body; underscores in header names become dashes."""
        sent = {"Content-Type": "application/json"}
        if self.key:
            sent["Authorization"] = f"Token {self.key}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        for again in (True, False):
            try:
                self._link.request(method, f"/api/v1{path}", data, sent)
                answer = self._link.getresponse()
                return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
            except (ConnectionError, http.client.BadStatusLine):
                # An idle connection ends after a few seconds; acts carry a key, so this is safe.
                self._link.close()
                if not again:
                    raise
        raise AssertionError

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        data = None if body is None else json.dumps(body).encode()
        status, raw, got = self.raw(method, path, data, **headers)
        assert status < 500 or status in {502, 503, 504}, (method, path, status, raw)
        return Answer(status, json.loads(raw) if raw else None, got)

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def act(self, path: str, body: Any = None, *, key: str = "") -> Answer:
        """An act with an Idempotency-Key, fresh unless ``key`` is given."""
        return self.call("POST", path, body or {}, Idempotency_Key=key or fresh_key())

    def good(self, path: str, body: Any = None, *, key: str = "") -> Any:
        """The body of an act that is accepted."""
        answer = self.act(path, body, key=key)
        assert answer.status in {200, 201, 202}, answer
        return answer.body

    def insist(self, path: str, body: Any = None) -> Any:
        """The body of an act that is repeated with its key while the answer is 503."""
        key, limit = fresh_key(), time.monotonic() + PATIENCE
        while (answer := self.act(path, body, key=key)).status == 503:
            assert answer.code in {"database_unavailable", "owner_silent"}, answer
            assert time.monotonic() < limit, answer
            time.sleep(0.2)
        assert answer.status < 300, answer
        return answer.body

    def path(self, episode: int) -> Any:
        return self._read(f"/episodes/{episode}?view=path")

    def tree(self, episode: int) -> Any:
        return self._read(f"/episodes/{episode}")

    def _read(self, path: str) -> Any:
        limit = time.monotonic() + PATIENCE
        while (answer := self.get(path)).status == 503 and time.monotonic() < limit:
            time.sleep(0.2)
        assert answer.status == 200, answer
        return answer.body

    def tab(self) -> Tab:
        return Tab(self)

    def close(self) -> None:
        self._link.close()


def fresh_key() -> str:
    return f"key-{next(keys)}"


class Tab:
    """The socket of one tab: rows by generation exactly as they were shown."""

    def __init__(self, api: Api, *, ticket: str | None = None) -> None:
        ticket = ticket or api.good("/ws-tickets")["ticket"]
        url = api.url.replace("http", "ws", 1) + "/ws/stream"
        self._stack = ExitStack()
        self.socket = self._stack.enter_context(
            connect(url, open_timeout=PATIENCE, max_size=None, proxy=None)
        )
        self.rows: dict[str, list[list[Any]]] = {}
        self.ends: dict[str, dict[str, Any]] = {}
        self.send({"type": "auth", "ticket": ticket})
        self.first = self.message()

    def send(self, message: Any) -> None:
        self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def message(self, timeout: float = PATIENCE) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=timeout))
        return message

    def watch(self, generation: str, known: list[list[Any]] | None = None) -> None:
        """Watch from what is already known, as a page does after a reload."""
        self.rows[generation] = list(known or [])
        self.ends.pop(generation, None)
        after = len(self.rows[generation])
        self.send({"type": "watch", "generation": generation, "after": after})

    def pump(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """Take one message; tokens must continue what is known, without a gap or a repeat."""
        message = self.message(timeout)
        generation = message.get("generation", "")
        rows = self.rows.get(generation, [])
        if message["type"] == "tokens":
            assert message["start"] == len(rows), message
            rows.extend(message["rows"])
            assert message["seq"] == len(rows)
        elif message["type"] == "end":
            assert message["seq"] == len(rows) + 1, (message, len(rows))
            self.ends[generation] = message
        elif message["type"] == "reset":
            self.rows[generation] = message["rows"]
        else:
            assert message["type"] == "changed", message
        return message

    def until(self, generation: str, n: int) -> list[list[Any]]:
        """The rows once there are ``n`` of them, or the stream has ended."""
        limit = time.monotonic() + PATIENCE
        while len(self.rows[generation]) < n and generation not in self.ends:
            self.pump(limit - time.monotonic())
        return self.rows[generation]

    def end(self, generation: str) -> dict[str, Any]:
        """The message about the end, which is waited for."""
        self.until(generation, 1 << 30)
        return self.ends[generation]

    def closed(self) -> int:
        """Take what still comes until the server closes; returns its code."""
        try:
            while True:
                self.pump()
        except ConnectionClosed as closing:
            return closing.rcvd.code if closing.rcvd else 1006

    def close(self) -> None:
        self._stack.close()
