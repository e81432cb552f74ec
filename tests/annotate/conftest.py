"""A queue of three tasks and a policy to sample from."""

from __future__ import annotations

import pytest

from stet.accounts.models import User
from stet.policies.models import PolicyVersion
from stet.projects.models import Project, Task
from stet.projects.services import task_create
from tests.traces.conftest import policy

__all__ = ["policy"]


@pytest.fixture
def tasks(project: Project, policy: PolicyVersion, owner: User) -> list[Task]:
    """Three tasks; the last one is the most urgent."""
    return [
        task_create(
            project=project,
            row={
                "external_id": f"queue-{number}",
                "messages": [{"role": "user", "content": f"Write line {number}."}],
                "priority": number,
            },
        )
        for number in range(3)
    ]
