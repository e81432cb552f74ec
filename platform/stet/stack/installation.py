"""One whole Stet on this machine: its parts, and the environment that joins them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from stet.stack.choices import MODEL_PORT, POSTGRES_PORT, REDIS_PORT, Elsewhere
from stet.stack.part import Part
from stet.stack.paths import HOME
from stet.stack.ports import LOOPBACK, free_port
from stet.stack.postgres import Postgres
from stet.stack.redis import Redis
from stet.stack.site import Relay, Web, Worker
from stet.stack.vllm import Vllm, dtype


class Installation:
    """The parts that run here. ``groups`` is in the order of starting."""

    def __init__(
        self, chosen: Elsewhere, *, web_port: int, tokenizer: Path, secret_key: str
    ) -> None:
        self.chosen = chosen
        self.tokenizer = tokenizer
        self.secret_key = secret_key
        self.postgres: Postgres | None = None
        self.redis: Redis | None = None
        self.model: Vllm | None = None
        if not chosen.database:
            self.postgres = Postgres(HOME / "pg", port=free_port(POSTGRES_PORT))
        if not chosen.redis:
            self.redis = Redis(HOME / "redis", port=free_port(REDIS_PORT))
        if not chosen.model:
            name = chosen.model_name
            port = free_port(MODEL_PORT)
            self.model = Vllm(HOME / "vllm", model=tokenizer, served_name=name, port=port)
        self.stores: list[Part] = [part for part in (self.postgres, self.redis) if part]
        for part in self.stores:
            part.prepare()  # it makes the password that the others are told
        env = self.environment()
        self.web = Web(HOME / "web", port=web_port, env=env)
        self.helpers: list[Part] = [
            Worker(HOME / "worker", env=env),
            Relay(HOME / "relay", env=env),
        ]

    @property
    def groups(self) -> Mapping[str, Sequence[Part]]:
        """The supervisor's groups; a group without parts is left out."""
        site = [self.web, *self.helpers, *([self.model] if self.model else [])]
        both = {"stores": self.stores, "site": site}
        return {name: parts for name, parts in both.items() if parts}

    def environment(self) -> dict[str, str]:
        """The environment of the site's processes and of manage.py."""
        database = self.chosen.database or (self.postgres.url if self.postgres else "")
        redis = self.chosen.redis or (self.redis.url if self.redis else "")
        model = self.chosen.model or (self.model.url if self.model else "")
        excepted = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
        direct = ",".join(filter(None, [excepted, LOOPBACK, "localhost"]))
        return {
            **os.environ,
            "SECRET_KEY": self.secret_key,
            "DATABASE_URL": database,
            "REDIS_URL": redis,
            "VLLM_URL": model,
            "VLLM_MODEL": self.chosen.model_name,
            "VLLM_DTYPE": os.environ.get("VLLM_DTYPE") or dtype(),
            "TOKENIZER_DIR": str(self.tokenizer),
            "STET_DATA_DIR": os.environ.get("STET_DATA_DIR") or str(HOME / "data"),
            "ALLOWED_HOSTS": os.environ.get("ALLOWED_HOSTS") or f"{LOOPBACK},localhost",
            "DEBUG": os.environ.get("DEBUG") or "0",
            "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE") or "stet.settings",
            # A proxy of the shell must not come between the parts.
            "NO_PROXY": direct,
            "no_proxy": direct,
        }
