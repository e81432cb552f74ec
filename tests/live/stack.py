"""Real processes on free ports: PostgreSQL, model servers, web processes; only these are ended."""

from __future__ import annotations

import http.client
import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from django.db import connections

from stet import env
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.accounts.services import token_create
from stet.policies.models import PolicyVersion
from stet.policies.services import policy_activate, policy_register
from stet.projects.models import Membership, Project, Task
from stet.projects.services import project_create, task_create
from stet.stack.part import Part
from stet.stack.parts import Postgres, Vllm, Web
from stet.stack.ports import LOOPBACK, http_status
from tests.live.api import Api
from tests.scripted.use import small_folder

PLACE = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
# Nothing listens there: whatever these tests do must work without a broker.
NO_REDIS = "redis://127.0.0.1:1/0"
numbers = count(1)


class Scripted(Part):
    """The scripted model server as a process of its own."""

    name = "scripted"
    served_name = "scripted"

    def __init__(
        self, folder: Path, *, port: int | None = None, model: Path | None = None, **options: Any
    ) -> None:
        super().__init__(folder, port=port)
        self.options = options
        self.model = model or small_folder()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def command(self) -> list[str]:
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in self.options.items()]
        where = ["--port", str(self.port), "--folder", str(self.model)]
        return [sys.executable, "-m", "tests.scripted.server", *where, *flags]

    def ready(self) -> bool:
        return http_status(f"{self.url}/health") == 200

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the server itself: its modes, and the requests it remembers."""
        return json.loads(self._ask(method, path, None if body is None else json.dumps(body)))

    def metrics(self) -> str:
        """Its own count of what it is busy with."""
        return self._ask("GET", "/metrics").strip()

    def _ask(self, method: str, path: str, body: str | None = None) -> str:
        link = http.client.HTTPConnection(LOOPBACK, self.port, timeout=60)
        with closing(link):
            link.request(method, path, body)
            return link.getresponse().read().decode()

    def mode(self, mode: str, **more: Any) -> None:
        self.control("POST", "/_mode", {"mode": mode, **more})

    def say(self, *ids: int) -> None:
        """Have the next answer that nobody else asks for be exactly these tokens."""
        self.control("POST", "/_say", {"ids": ids})

    def forget(self) -> None:
        self.control("DELETE", "/_requests")

    def completions(self) -> list[dict[str, Any]]:
        """The body of every completion that was asked for."""
        rows = self.control("GET", "/_requests")
        return [row["body"] for row in rows if row["path"] == "/v1/completions"]

    def prompts(self) -> list[list[int]]:
        """The ids of every completion that was asked for."""
        return [body["prompt"] for body in self.completions()]

    def running(self) -> int:
        """How many completions are being answered."""
        link = http.client.HTTPConnection(LOOPBACK, self.port, timeout=60)
        with closing(link):
            link.request("GET", "/metrics")
            text = link.getresponse().read().decode()
        return int(float(re.findall(r"^vllm:num_requests_running{.*} (.*)$", text, re.M)[0]))


@contextmanager
def database(url: str) -> Iterator[None]:
    """Let the ORM of this process use another database meanwhile."""
    link = connections["default"]
    link.close()
    before = {key: link.settings_dict[key] for key in PLACE}
    new = env.database(url, pool=False, timeout_ms=60_000)
    link.settings_dict.update({key: new[key] for key in PLACE})
    try:
        yield
    finally:
        link.close()
        link.settings_dict.update(before)


@dataclass
class Stack:
    """A database with one project; web processes and model servers are added as needed."""

    folder: Path
    postgres: Postgres
    project: Project
    policy: PolicyVersion
    parts: list[Part] = field(default_factory=list)

    def on(self, model: Scripted | Vllm) -> Stack:
        """The same stack with a project that samples from ``model``."""
        project, policy = project_on("Real", model.served_name, model.model)
        return replace(self, project=project, policy=policy)

    def own(self, name: str) -> Path:
        return self.folder / f"{name}-{next(numbers)}"

    def scripted(self, **options: Any) -> Scripted:
        """A scripted model server that runs."""
        part = Scripted(self.own("scripted"), **options)
        self.parts.append(part)
        part.start()
        return part

    def web(self, model: Scripted | Vllm, *, wait: bool = True, **more: str) -> Web:
        """A web process that samples from ``model``."""
        own = self.own("web")
        part = Web(
            own,
            env={
                "DJANGO_SETTINGS_MODULE": "stet.settings",
                "SECRET_KEY": "only-for-tests-" + "0" * 40,
                "DATABASE_URL": self.postgres.url,
                "REDIS_URL": NO_REDIS,
                "VLLM_URL": model.url,
                "VLLM_MODEL": model.served_name,
                "TOKENIZER_DIR": str(model.model),
                "STET_DATA_DIR": str(own / "data"),
                "STET_DB_POOL": "6",
                "LOG_LEVEL": "WARNING",
                **more,
            },
        )
        self.parts.append(part)
        part.start(wait=wait)
        return part

    def close(self) -> None:
        for part in reversed(self.parts):
            part.stop()

    def person(self, role: Role = Role.RESEARCHER, project: Project | None = None) -> str:
        """A new member of the project; returns the key of a token."""
        user = User.objects.create_user(username=f"person-{next(numbers)}", password="x" * 12)
        Membership.objects.create(project=project or self.project, user=user, role=role)
        return token_create(user=user, name="tests")[1]

    def api(self, web: Web, key: str = "") -> Api:
        """A client of a web process; without ``key`` for a new researcher."""
        return Api(web.url, key or self.person())

    def task(self, *messages: str, **row: Any) -> Task:
        """A new task; ``messages`` are of the user and the assistant in turn."""
        roles = ["user", "assistant"] * len(messages)
        talk = [{"role": r, "content": m} for r, m in zip(roles, messages, strict=False)]
        project = row.pop("project", self.project)
        row = {"external_id": f"live-{next(numbers)}", "messages": talk, **row}
        return task_create(project=project, row=row)


def project_on(name: str, served_name: str, folder: Path) -> tuple[Project, PolicyVersion]:
    """A new project that samples from what a server calls ``served_name``."""
    owner = User.objects.create_user(username=f"owner-{next(numbers)}", password="x" * 12)
    project = project_create(user=owner, name=name)
    policy = policy_register(
        name=served_name,
        served_name=served_name,
        folder=folder,
        max_len=4096,
        engine={"name": served_name},
    )
    policy_activate(project=project, policy=policy, author=owner)
    return project, policy


def fill(folder: Path, postgres: Postgres) -> Stack:
    """A project with an active policy in a migrated database."""
    return Stack(folder, postgres, *project_on("Live", "scripted", small_folder()))
