"""The stack of the live tests: started once, ended by id."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from stet.stack.parts import Postgres, Web
from tests.live.stack import Scripted, Stack, database, fill


@pytest.fixture(scope="session")
def live_database(parts_folder: Path, django_db_blocker: Any) -> Iterator[Stack]:
    """A database of its own, so that committed rows meet no other test."""
    folder = Path(tempfile.mkdtemp(prefix="live-", dir=parts_folder))
    with Postgres(folder / "postgres", fsync=False) as postgres:
        with django_db_blocker.unblock(), database(postgres.url):
            call_command("migrate", verbosity=0)
            stack = fill(folder, postgres)
        yield stack
        stack.close()


@pytest.fixture
def stack(live_database: Stack, django_db_blocker: Any) -> Iterator[Stack]:
    """The stack, with the ORM of the test on its database."""
    with django_db_blocker.unblock(), database(live_database.postgres.url):
        yield live_database


@pytest.fixture(scope="session")
def quick(live_database: Stack) -> Scripted:
    """A model server that answers within a fraction of a second."""
    return live_database.scripted(ttft_ms=1, itl_ms=3, tokens=60)


@pytest.fixture(scope="session")
def webs(live_database: Stack, quick: Scripted) -> tuple[Web, Web]:
    """Two web processes on one database."""
    pair = [live_database.web(quick, wait=False) for _ in range(2)]
    for web in pair:
        web.wait_ready(240)
    return pair[0], pair[1]


@pytest.fixture
def web(webs: tuple[Web, Web]) -> Web:
    return webs[0]


@pytest.fixture
def slow(stack: Stack) -> Iterator[Scripted]:
    """A model server whose answer takes long enough to be interrupted."""
    part = stack.scripted(ttft_ms=5, itl_ms=25, tokens=500)
    yield part
    part.stop()


@pytest.fixture
def own_web(stack: Stack, slow: Scripted) -> Iterator[Web]:
    part = stack.web(slow)
    yield part
    part.stop()
