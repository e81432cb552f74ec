"""One supervisor starts again what ends, and takes everything with it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import redis

from stet.stack.parts import Postgres, Redis
from stet.stack.supervisor import Supervisor
from tests.stack.test_parts import gone


def test_a_killed_part_is_started_again_and_stop_leaves_nothing(tmp_path: Path) -> None:
    store, database = Redis(tmp_path / "redis"), Postgres(tmp_path / "pg")
    store.prepare()
    database.prepare()
    groups = {"first": [database], "second": [store]}
    supervisor = Supervisor(groups, run=tmp_path / "run", logs=tmp_path / "log")
    supervisor.start()
    try:
        supervisor.run(store)
        supervisor.run(database)
        wait(store.ready)
        wait(database.ready)
        first = supervisor.pids()["redis"]
        os.kill(first, signal.SIGKILL)
        wait(lambda: supervisor.pids().get("redis", first) != first)
        wait(store.ready)
        with redis.Redis.from_url(store.url) as client:
            assert client.ping()
        family = psutil.Process(supervisor.pids()["postgres"]).children()
        pids = [*supervisor.pids().values(), *(process.pid for process in family)]
    finally:
        began = time.monotonic()
        supervisor.stop()
    assert time.monotonic() - began < 15
    assert all(gone(pid, 2) for pid in pids)


def test_the_configuration_holds_no_secret(tmp_path: Path) -> None:
    environ = {"SECRET_KEY": "hush-hush", "PATH": os.environ["PATH"]}
    store = Redis(tmp_path / "redis")
    store.prepare()
    supervisor = Supervisor({"one": [store]}, environ, run=tmp_path / "run", logs=tmp_path)
    assert "hush" not in supervisor.text()
    assert 'SECRET_KEY=""' in supervisor.text()


def wait(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until the condition holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)
