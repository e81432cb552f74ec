"""Server-sent events: the socket's messages for programs, resumed by Last-Event-ID."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from stet.stack.parts import Web
from tests.live.api import Api
from tests.live.stack import Stack
from tests.live.test_kill_web import streaming

Event = tuple[str, int, dict[str, Any]]


def events(url: str, key: str, path: str, **headers: str) -> Iterator[Event]:
    """(event, id, data) of a stream of events until it ends."""
    parts = urlsplit(url)
    link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=90)
    link.request("GET", f"/api/v1{path}", headers={"Authorization": f"Token {key}", **headers})
    answer = link.getresponse()
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/event-stream"
    text = answer.read().decode()
    link.close()
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if fields:
            yield fields["event"], int(fields["id"]), json.loads(fields["data"])


@pytest.fixture
def api(stack: Stack, web: Web) -> Iterator[Api]:
    client = stack.api(web)
    yield client
    client.close()


def test_events_are_the_messages_of_the_socket(stack: Stack, webs: tuple[Web, Web]) -> None:
    api = stack.api(webs[0])
    _, generation, tab = streaming(stack, api, tokens=1)
    for web in webs:
        got = list(events(web.url, api.key, f"/generations/{generation}/events"))
        rows = [row for name, _, data in got if name == "tokens" for row in data["rows"]]
        end = tab.end(generation)
        assert rows == tab.rows[generation]
        assert got[-1] == ("end", len(rows) + 1, end)
    tab.close()
    api.close()


@pytest.mark.parametrize("how", ["query", "header"])
def test_a_broken_stream_goes_on_behind_the_last_event(stack: Stack, api: Api, how: str) -> None:
    _, generation, tab = streaming(stack, api, tokens=1)
    tab.end(generation)
    path = f"/generations/{generation}/events"
    if how == "query":
        got = list(events(api.url, api.key, f"{path}?after=10"))
    else:
        got = list(events(api.url, api.key, path, **{"Last-Event-ID": "10"}))
    assert got[0][2]["start"] == 10
    rows = [row for name, _, data in got if name == "tokens" for row in data["rows"]]
    assert rows == tab.rows[generation][10:]
    tab.close()


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 30])
def test_an_after_that_is_no_count_is_refused(stack: Stack, api: Api, after: str) -> None:
    _, generation, tab = streaming(stack, api, tokens=1)
    tab.end(generation)
    answer = api.get(f"/generations/{generation}/events?after={after}")
    assert (answer.status, answer.code) == (422, "bad_range")
    tab.close()


def test_strangers_and_the_nameless_see_no_events(stack: Stack, web: Web, api: Api) -> None:
    _, generation, tab = streaming(stack, api, tokens=1)
    tab.end(generation)
    stranger = stack.on(stack.parts[0]).api(web)  # type: ignore[arg-type]
    assert stranger.get(f"/generations/{generation}/events").status == 404
    nobody = Api(web.url, "")
    assert nobody.get(f"/generations/{generation}/events").status == 401
    nobody.close()
    tab.close()
    stranger.close()
