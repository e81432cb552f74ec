"""Which parts of the installation answer, asked with short patience."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any, Literal
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection

State = Literal["up", "down"]
Model = dict[str, Any]
PATIENCE = 2.0
# Every open page asks; the parts are asked at most this often by each process.
KEEP_SECONDS = 2


def database_state() -> State:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "down"
    return "up"


def redis_state() -> State:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE
    )
    try:
        client.ping()
    except redis.RedisError:
        return "down"
    finally:
        client.close()
    return "up"


def model_state() -> Model:
    """``ready``; ``loading`` while nothing listens yet at a local address; else ``down``."""
    state, detail = "ready", ""
    local = urlsplit(settings.VLLM_URL).hostname in ("127.0.0.1", "::1", "localhost")
    try:
        with urllib.request.urlopen(f"{settings.VLLM_URL}/health", timeout=PATIENCE):  # noqa: S310
            pass
    except urllib.error.HTTPError as error:
        state, detail = "down", f"HTTP {error.code}"
    except TimeoutError:
        state, detail = "down", "timeout"
    except OSError as error:
        refused = isinstance(getattr(error, "reason", error), ConnectionRefusedError)
        state = "loading" if refused and local else "down"
    return {"state": state, "name": settings.VLLM_MODEL, "detail": detail}


def parts_state() -> dict[str, Any]:
    """``{"database", "redis", "model": {"state", "name", "detail"}}``."""
    known: dict[str, Any] | None = cache.get("stet.parts")
    if known is None:
        known = {
            "database": database_state(),
            "redis": redis_state(),
            "model": model_state(),
        }
        cache.set("stet.parts", known, KEEP_SECONDS)
    return known
