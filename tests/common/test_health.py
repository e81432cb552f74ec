"""Health: what a supervisor and the strip of the pages ask."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from stet.common import health
from stet.stack.ports import free_port


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


class Answer(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def model(settings: Settings) -> Iterator[type[Answer]]:
    """A server that answers /health with a status of one's choice."""
    answer = type("One", (Answer,), {})
    with HTTPServer(("127.0.0.1", 0), answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings.VLLM_URL = f"http://127.0.0.1:{server.server_port}"
        yield answer
        server.shutdown()


def test_the_process_is_live_without_any_part(client: Client) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}


def test_it_is_ready_with_a_database(db: None, client: Client) -> None:
    assert client.get("/health/ready").status_code == 200


def test_without_a_database_it_says_503(db: None, client: Client) -> None:
    def down() -> None:
        raise OperationalError("no route")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(health.connection, "cursor", down)
        answers = [client.get(path) for path in ("/health/ready", "/status")]
    for answer in answers:
        assert (answer.status_code, answer.json()["database"]) == (503, "down")


def test_the_model_is_ready_loading_or_down(model: type[Answer], settings: Settings) -> None:
    assert health.model_state()["state"] == "ready"
    model.status = 503
    assert health.model_state() == {
        "state": "down",
        "name": settings.VLLM_MODEL,
        "detail": "HTTP 503",
    }
    settings.VLLM_URL = f"http://127.0.0.1:{free_port()}"
    assert health.model_state()["state"] == "loading"
    settings.VLLM_URL = "http://model.invalid:1"
    assert health.model_state()["state"] == "down"


def test_a_broker_that_is_away_is_said(db: None, client: Client, settings: Settings) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    answer = client.get("/status")
    assert (answer.status_code, answer.json()["redis"]) == (200, "down")


def test_the_parts_are_asked_once_in_a_while(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(health, "redis_state", lambda: asked.append("redis") or "up")
    monkeypatch.setattr(health, "model_state", lambda: {"state": "ready"})
    for _ in range(5):
        assert client.get("/status").json()["redis"] == "up"
    assert asked == ["redis"]


def test_health_only_reads(client: Client) -> None:
    assert client.post("/health/live").status_code == 405
