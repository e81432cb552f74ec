"""Stet's own processes: the web server, the Celery worker and the outbox relay."""

from __future__ import annotations

import os
import sys
import time
from typing import ClassVar

import psutil

from stet.stack.part import Part
from stet.stack.paths import ROOT
from stet.stack.ports import LOOPBACK, http_status


class SitePart(Part):
    """A process of the site; ``env`` holds at least SECRET_KEY, DATABASE_URL and REDIS_URL."""

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(ROOT / "platform"), str(ROOT)])
        return {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", **self.env}


class Web(SitePart):
    """One uvicorn process with the site."""

    name = "web"

    @property
    def url(self) -> str:
        """The site's address, without a slash at the end."""
        return f"http://{LOOPBACK}:{self.port}"

    def command(self) -> list[str]:
        server = [sys.executable, "-m", "uvicorn", "stet.asgi:application"]
        # Compressing frames of one token costs more than it saves, and 300 kB for each socket.
        plain = ["--ws", "websockets-sansio", "--ws-per-message-deflate", "false"]
        limits = ["--ws-max-size", "65536", "--timeout-graceful-shutdown", "5"]
        address = ["--host", LOOPBACK, "--port", str(self.port)]
        return [*server, *address, *plain, *limits]

    def ready(self) -> bool:
        return 0 < http_status(f"{self.url}/health/live") < 500


class Worker(SitePart):
    """One Celery worker with two child processes."""

    name = "worker"
    stop_seconds = 7

    def command(self) -> list[str]:
        worker = [sys.executable, "-m", "celery", "-A", "stet", "worker"]
        return [*worker, "--concurrency", "2", "--loglevel", "INFO", "--hostname", "stet@%h"]

    def ready(self) -> bool:
        return " ready." in self.tail(1000)


class Relay(SitePart):
    """The outbox relay: it turns committed rows into broker messages."""

    name = "relay"
    settle_seconds: ClassVar[float] = 2

    def command(self) -> list[str]:
        return [sys.executable, str(ROOT / "manage.py"), "relay"]

    def ready(self) -> bool:
        """It has no address to ask: an outbox row waits in any case, so living on will do."""
        return self.alive and time.time() - psutil.Process(self.pid).create_time() > (
            self.settle_seconds
        )
