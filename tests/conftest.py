"""The shared cast: an annotator, a reviewer and an owner of one project, and a stranger."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from hypothesis import HealthCheck, settings
from rest_framework.test import APIClient

from stet import env
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.models import Membership, Project, Task
from stet.projects.services import project_create, task_create

# How fast the machine is must decide no test.
settings.register_profile("stet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("stet")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Chromium comes last: Playwright keeps a loop in this thread, which other tests forbid."""

    def rank(item: pytest.Item) -> tuple[bool, bool]:
        return bool(item.get_closest_marker("browser")), bool(item.get_closest_marker("vllm"))

    items.sort(key=rank)


@pytest.fixture(scope="session")
def parts_folder() -> Iterator[Path]:
    """Where servers keep their data. Each pytest of root locks the common folder of all pytests
    anew, also against the account that a database server runs as, so this one lies elsewhere."""
    folder = Path(tempfile.mkdtemp(prefix="stet-tests-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(parts_folder: Path) -> Iterator[None]:
    """PostgreSQL: the one of DATABASE_URL, else an embedded one for this run alone."""
    if os.environ.get("DATABASE_URL"):
        yield
        return
    from stet.stack.parts import Postgres

    with Postgres(parts_folder / "postgres", fsync=False) as server:
        new = env.database(server.url, pool=False, timeout_ms=10_000)
        settings = connections["default"].settings_dict
        settings.update({key: new[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")})
        yield


class Client(APIClient):
    """An API client of one person that counts its own idempotency keys."""

    person: User

    def act(self, path: str, data: Any = None, *, key: str = "", **extra: Any) -> Any:
        """POST with an Idempotency-Key, fresh unless ``key`` is given."""
        self.count = getattr(self, "count", 0) + 1
        own = key or f"{self.person.username}-{self.count}"
        return self.post(path, data or {}, format="json", HTTP_IDEMPOTENCY_KEY=own, **extra)


def client_of(user: User) -> Client:
    """A client signed in as ``user``."""
    client = Client()
    client.person = user
    client.force_authenticate(user)
    return client


def person(name: str) -> User:
    return User.objects.create_user(username=name, password=f"{name} {name} {name}")


@pytest.fixture
def owner(db: None) -> User:
    return person("owner")


@pytest.fixture
def project(owner: User) -> Project:
    return project_create(user=owner, name="Letters")


def member(project: Project, name: str, role: Role) -> User:
    """A new person with a role in ``project``."""
    user = person(name)
    Membership.objects.create(project=project, user=user, role=role)
    return user


@pytest.fixture
def annotator(project: Project) -> User:
    return member(project, "annotator", Role.ANNOTATOR)


@pytest.fixture
def reviewer(project: Project) -> User:
    return member(project, "reviewer", Role.REVIEWER)


@pytest.fixture
def researcher(project: Project) -> User:
    return member(project, "researcher", Role.RESEARCHER)


@pytest.fixture
def stranger(db: None) -> User:
    """Owner of another project."""
    user = person("stranger")
    project_create(user=user, name="Elsewhere")
    return user


@pytest.fixture
def task(project: Project) -> Task:
    return task_create(
        project=project,
        row={
            "external_id": "letter-1",
            "messages": [{"role": "user", "content": "Write one line about rain."}],
        },
    )


@pytest.fixture
def as_annotator(annotator: User) -> Client:
    return client_of(annotator)


@pytest.fixture
def as_reviewer(reviewer: User) -> Client:
    return client_of(reviewer)


@pytest.fixture
def as_researcher(researcher: User) -> Client:
    return client_of(researcher)


@pytest.fixture
def as_owner(owner: User) -> Client:
    return client_of(owner)


@pytest.fixture
def as_stranger(stranger: User) -> Client:
    return client_of(stranger)


@pytest.fixture
def shared_data() -> Path:
    """The folder of real traces beside the checkout; the test is skipped where it is absent."""
    folder = Path(os.environ.get("STET_SHARED") or Path(__file__).parents[2] / "shared") / "data"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent: real traces are not part of the repository")
    return folder


@pytest.fixture(scope="session")
def real_vllm(parts_folder: Path) -> Iterator[Any]:
    """The real model server on the CPU: one for the whole run, started when a test needs it.

    STET_TEST_VLLM_URL names one that runs already (and STET_TEST_MODEL_DIR its model folder).
    """
    from stet.stack.parts import Vllm
    from stet.stack.paths import MODEL

    model = Path(os.environ.get("STET_TEST_MODEL_DIR") or MODEL)
    if not (model / "tokenizer.json").exists():
        pytest.fail(f"{model} holds no model: run `make setup`, or set STET_TEST_MODEL_DIR.")
    server = Vllm(parts_folder / "vllm", model=model)
    if url := os.environ.get("STET_TEST_VLLM_URL"):
        server.port = int(url.rsplit(":", 1)[1])
        yield server
        return
    with server:
        yield server
