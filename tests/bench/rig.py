"""The servers that are measured: real processes on free ports, PostgreSQL with fsync on."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stet.stack.part import Part
from stet.stack.parts import Postgres, Redis, Vllm, Web
from stet.stack.paths import ROOT
from stet.stack.ports import LOOPBACK, http_status
from tests.bench.figures import note


class Scripted(Part):
    """The scripted model server as a process of its own."""

    name = "scripted"

    def __init__(self, folder: Path, *, tokenizer: Path, options: dict[str, float]) -> None:
        super().__init__(folder)
        self._flags = ["--folder", str(tokenizer)]
        for key, value in options.items():
            self._flags += [f"--{key.replace('_', '-')}", str(value)]

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def command(self) -> list[str]:
        module = [sys.executable, "-m", "tests.scripted.server"]
        return [*module, "--port", str(self.port), *self._flags]

    def ready(self) -> bool:
        return http_status(f"{self.url}/health") == 200


class Bare(Part):
    """The bare relay under the same server as the site."""

    name = "bare"

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def command(self) -> list[str]:
        server = [sys.executable, "-m", "uvicorn", "tests.bench.bare:app", "--host", LOOPBACK]
        return [*server, "--port", str(self.port), "--log-level", "warning", "--no-access-log"]

    def ready(self) -> bool:
        return http_status(self.url) == 200


class QuietWeb(Web):
    """The site without a line in the log for each request."""

    def command(self) -> list[str]:
        return [*super().command(), "--no-access-log"]


class Rig:
    """PostgreSQL and Redis for the whole run, and further servers when a figure asks for them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = Postgres(folder / "postgres", fsync=True)
        self.redis = Redis(folder / "redis")

    @contextmanager
    def running(self) -> Iterator[Rig]:
        """Start the stores and migrate; afterwards this process can use the models."""
        with self.postgres, self.redis:
            os.environ.update(
                SECRET_KEY=secrets.token_hex(20),
                DATABASE_URL=self.postgres.url,
                REDIS_URL=self.redis.url,
                STET_DATA_DIR=str(self.folder / "data"),
                DJANGO_SETTINGS_MODULE="stet.settings",
            )
            command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0"]
            subprocess.run(command, check=True)
            import django

            django.setup()
            yield self

    @contextmanager
    def scripted(self, tokenizer: Path, **options: float) -> Iterator[Scripted]:
        with Scripted(self.folder / "scripted", tokenizer=tokenizer, options=options) as part:
            yield part

    @contextmanager
    def web(self, model_url: str, tokenizer: Path, served_name: str) -> Iterator[QuietWeb]:
        """One web process that samples from ``model_url``."""
        env = {
            "VLLM_URL": model_url,
            "VLLM_MODEL": served_name,
            "TOKENIZER_DIR": str(tokenizer),
            "LOG_LEVEL": "WARNING",
        }
        with QuietWeb(self.folder / "web", env=env) as part:
            yield part

    @contextmanager
    def bare(self, model_url: str) -> Iterator[Bare]:
        with Bare(self.folder / "bare", env={"UPSTREAM": model_url}) as part:
            yield part

    @contextmanager
    def vllm(self, model: Path) -> Iterator[str]:
        """The real server: the one of VLLM_URL, else an embedded one. Yields its address."""
        if url := os.environ.get("VLLM_URL"):
            yield url
            return
        note("starting the real vLLM: 40-105 s")
        with Vllm(self.folder / "model", model=model) as part:
            yield part.url
