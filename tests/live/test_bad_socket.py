"""What a socket is sent that it should not be: an error that says so, and the others go on."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from stet.stack.parts import Web
from tests.live.api import Api, Tab
from tests.live.stack import Stack
from tests.live.test_kill_web import streaming


@pytest.fixture
def api(stack: Stack, web: Web) -> Iterator[Api]:
    client = stack.api(web)
    yield client
    client.close()


@pytest.fixture
def tab(api: Api) -> Iterator[Tab]:
    opened = api.tab()
    assert opened.first == {"type": "ready"}
    yield opened
    opened.close()


NOT_MESSAGES: list[Any] = [
    b"\x00\xff\xfe\x80",
    "",
    "not json",
    "[]",
    "null",
    "5",
    '"watch"',
    "{}",
    '{"type": 7}',
    '{"type": null}',
    '{"type": "watch", "generation": "\\ud800"}',
    '{"type": "__init__"}',
    '{"type": "dispatch"}',
    '{"type": "watch", "after": NaN}',
    '{"type": "ping", "more": "' + "x" * 5000 + '"}',
    "[" * 3000,
]


@pytest.mark.parametrize("sent", NOT_MESSAGES, ids=range(len(NOT_MESSAGES)))
def test_what_is_no_message_is_named_and_the_socket_lives(tab: Tab, sent: Any) -> None:
    tab.send(sent)
    answer = tab.message()
    assert (answer["type"], answer["code"]) == ("error", "bad_message"), answer
    assert answer["detail"]
    tab.send({"type": "ping"})
    assert tab.message() == {"type": "pong"}


@pytest.mark.parametrize("after", [-1, 1.5, "3", None, 2**31, 2**70, [], {}, True])
def test_an_after_that_is_no_count_is_refused(tab: Tab, api: Api, stack: Stack, after: Any) -> None:
    _, generation, own = streaming(stack, api, tokens=1)
    tab.send(json.dumps({"type": "watch", "generation": generation, "after": after}))
    assert tab.message()["code"] == "bad_message"
    own.close()


@pytest.mark.parametrize("key", [str(uuid.uuid4()), "", 5, None, [], {}, "x" * 100, "\u0000"])
def test_a_generation_that_does_not_exist_is_not_found(tab: Tab, key: Any) -> None:
    tab.send(json.dumps({"type": "watch", "generation": key, "after": 0}))
    assert tab.message()["code"] == "not_found"
    tab.send(json.dumps({"type": "unwatch", "generation": key}))
    tab.send({"type": "ping"})
    assert tab.message() == {"type": "pong"}


def test_somebody_elses_generation_does_not_exist(stack: Stack, web: Web, tab: Tab) -> None:
    other = stack.api(web)
    _, generation, own = streaming(stack, other, tokens=1)
    stranger = stack.on(stack.parts[0]).api(web)  # type: ignore[arg-type]
    away = stranger.tab()
    away.send({"type": "watch", "generation": generation, "after": 0})
    assert away.message()["code"] == "not_found"
    for client in (own, away, other, stranger):
        client.close()


def test_a_huge_message_closes_that_socket_only(stack: Stack, api: Api, tab: Tab) -> None:
    _, generation, own = streaming(stack, api, tokens=1)
    tab.send("x" * 200_000)
    assert tab.closed() in {1009, 1006}
    assert own.end(generation)["status"] == "done"
    own.close()


def test_a_ticket_opens_one_socket_once(api: Api) -> None:
    ticket = api.good("/ws-tickets")["ticket"]
    first = Tab(api, ticket=ticket)
    assert first.first == {"type": "ready"}
    again = Tab(api, ticket=ticket)
    assert again.first["code"] == "bad_ticket"
    assert again.closed() == 4401
    first.close()
    again.close()


@pytest.mark.parametrize("ticket", ["wrong", "x" * 3000, "\ud83d"])
def test_a_wrong_ticket_is_refused(api: Api, ticket: str) -> None:
    opened = Tab(api, ticket=ticket)
    assert opened.first["code"] in {"bad_ticket", "bad_message"}
    opened.close()


def test_without_a_ticket_nothing_is_shown(api: Api) -> None:
    url = api.url.replace("http", "ws", 1) + "/ws/stream"
    with connect(url, proxy=None) as socket:
        socket.send(json.dumps({"type": "watch", "generation": str(uuid.uuid4())}))
        assert json.loads(socket.recv())["code"] == "not_authenticated"


def test_another_sites_page_opens_no_socket(api: Api) -> None:
    url = api.url.replace("http", "ws", 1) + "/ws/stream"
    with (
        pytest.raises(InvalidStatus),
        connect(url, proxy=None, origin="https://elsewhere.example"),  # type: ignore[arg-type]
    ):
        pass


def test_watching_too_many_is_refused(stack: Stack, api: Api, tab: Tab) -> None:
    """One generation watched again replaces its watch; it never counts twice."""
    _, generation, own = streaming(stack, api, tokens=1)
    own.end(generation)
    for _ in range(40):
        tab.watch(generation)
        tab.end(generation)
    assert tab.rows[generation] == own.rows[generation]
    own.close()
