"""The outbox relay: sends what was committed, wakes jobs whose worker went away."""

from __future__ import annotations

import logging
import signal
import threading
import time
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from stet.common import jobs

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Send outbox rows to the broker until stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()

        def end(signum: int, frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)
        last_sweep = 0.0
        while not stop.is_set():
            try:
                busy = jobs.outbox_send()
                if time.monotonic() - last_sweep > 5:
                    jobs.jobs_wake()
                    jobs.keys_expire()
                    last_sweep = time.monotonic()
                if not busy:
                    self.wait()
            except (DatabaseError, BrokerError, RedisError) as error:
                log.warning("relay: %s; trying again", error)
                connection.close()
                stop.wait(1)

    def wait(self) -> None:
        """Sleep until a row arrives, at most a second."""
        with connection.cursor() as cursor:
            cursor.execute(f"LISTEN {jobs.CHANNEL}")
        assert connection.connection is not None
        for _note in connection.connection.notifies(timeout=1, stop_after=1):
            pass
