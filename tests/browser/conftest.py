"""Chromium, and a site on the real model server whose requests are recorded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.models import Membership, Project
from stet.stack.parts import Vllm, Web
from tests.browser.recording import Recording
from tests.live.conftest import live_database, quick, stack, web, webs  # noqa: F401
from tests.live.stack import Scripted, Stack, numbers, project_on

PASSWORD = "seven green umbrellas"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Debian's Chromium: Playwright's own download may be out of reach."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.fail("These tests need Chromium: install it, or set CHROMIUM to its path.")
    return {**browser_type_launch_args, "executable_path": path, "args": FLAGS}


@pytest.fixture(autouse=True)
def orm_beside_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright keeps a loop in this thread; the test's own queries may run all the same."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@dataclass(frozen=True)
class Site:
    """A web process on a recorded model server, and a project that samples from it."""

    web: Web
    model: Recording | Scripted
    project: Project
    stack: Stack

    def person(self, role: Role) -> User:
        """Somebody who can sign in with PASSWORD."""
        # The site checks passwords with the hasher of production, not with the tests' quick one.
        password = PBKDF2PasswordHasher().encode(PASSWORD, "salt-of-the-tests")
        user = User.objects.create(username=f"reader-{next(numbers)}", password=password)
        Membership.objects.create(project=self.project, user=user, role=role)
        return user


@pytest.fixture
def site(stack: Stack, real_vllm: Vllm) -> Iterator[Site]:  # noqa: F811
    """The real model behind a proxy that records what it is asked."""
    model = Recording(real_vllm.url, served_name=real_vllm.served_name, model=real_vllm.model)
    own = stack.web(model)
    # Drawn from a seed, so that an answer is as long in every run.
    sampling = {"temperature": 0.7, "seed": 7}
    yield Site(own, model, browser_project(model, {"sampling": sampling}), stack)
    own.stop()
    model.close()


@pytest.fixture
def quick_site(stack: Stack, quick: Scripted, web: Web) -> Site:  # noqa: F811
    """A model that answers within a fraction of a second, for what does not depend on it."""
    return Site(web, quick, browser_project(quick, {}), stack)


def browser_project(model: Recording | Scripted, settings: dict[str, Any]) -> Project:
    """A new project that samples from the model."""
    project, _ = project_on("Browser", model.served_name, model.model)
    project.settings = settings
    project.save(update_fields=["settings"])
    return project
