"""The parts are real: what they promised is there after a kill -9, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from stet.stack.parts import Part, PartFailed, Postgres, Redis
from stet.stack.paths import ROOT


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[Postgres]:
    with Postgres(tmp_path / "pg") as server:
        yield server


def gone(pid: int, seconds: float = 10) -> bool:
    """Whether the process has ended, within a time."""
    limit = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


def test_committed_rows_survive_a_kill_of_postgres(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('这')")
    url = postgres.url
    postgres.kill()
    assert not postgres.alive
    postgres.start()
    assert postgres.url == url
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT word FROM kept").fetchall() == [("这",)]
        assert connection.execute("SHOW fsync").fetchone() == ("on",)


def test_postgres_listens_on_loopback_behind_a_password(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)
        assert connection.execute("SHOW unix_socket_directories").fetchone() == ("",)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgresql://stet@127.0.0.1:{postgres.port}/stet").close()


def test_redis_keeps_its_data_and_its_password(tmp_path: Path) -> None:
    with Redis(tmp_path / "redis") as server:
        with redis.Redis.from_url(server.url) as client:
            client.set("kept", "yes")
        with (
            redis.Redis(port=server.port) as stranger,
            pytest.raises(redis.exceptions.AuthenticationError),
        ):
            stranger.ping()
        server.restart()
        with redis.Redis.from_url(server.url) as client:
            assert client.get("kept") == b"yes"


class Broken(Part):
    """A part whose program ends at once."""

    name = "broken"

    def command(self) -> list[str]:
        return [sys.executable, "-c", "raise SystemExit('the reason')"]

    def ready(self) -> bool:
        return False


def test_a_part_that_ends_at_its_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(PartFailed, match=r"broken ended at its start(.|\n)*the reason"):
        Broken(tmp_path).start()


class Parent(Part):
    """A part with a child of its own."""

    name = "parent"

    def command(self) -> list[str]:
        child = "import time; time.sleep(600)"
        code = (
            f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {child!r}]);"
            "print(p.pid, flush=True); p.wait()"
        )
        return [sys.executable, "-c", code]

    def ready(self) -> bool:
        return self.tail().strip().isdigit()


def test_a_killed_leader_leaves_no_child_behind(tmp_path: Path) -> None:
    with Parent(tmp_path) as part:
        child = int(part.tail())
        os.kill(part.pid, signal.SIGKILL)
        assert gone(child)


def test_a_killed_owner_leaves_no_part_behind(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from stet.stack.parts import Redis;"
        "part = Redis(Path(sys.argv[1])).start(); print(part.pid, flush=True);"
        "import time; time.sleep(600)"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "platform"), str(ROOT)])}
    owner = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "redis")],
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
    )
    assert owner.stdout is not None
    with owner.stdout:
        part = int(owner.stdout.readline())
    assert psutil.pid_exists(part)
    owner.kill()
    owner.wait()
    assert gone(part)
