"""The queue through the real web process: many browsers at once, a killed tab, a late submit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from annotate.models import Lease, Submission
from stet.accounts.roles import Role
from stet.projects.models import Project
from stet.stack.parts import Web
from tests.live.api import Answer, Api
from tests.live.stack import Scripted, Stack, project_on

LEASE_SECONDS = 3
BROWSERS, TASKS = 20, 5


@pytest.fixture
def hasty(stack: Stack, quick: Scripted) -> Iterator[Web]:
    """A web process whose leases end soon."""
    web = stack.web(quick, STET_LEASE_SECONDS=str(LEASE_SECONDS))
    yield web
    web.stop()


@pytest.fixture
def project(stack: Stack, quick: Scripted) -> Project:
    return project_on("Queue", quick.served_name, quick.model)[0]


def people(stack: Stack, web: Web, project: Project, count: int) -> list[Api]:
    return [stack.api(web, stack.person(Role.ANNOTATOR, project)) for _ in range(count)]


def taken(api: Api, project: Project) -> Answer:
    return api.call("POST", f"/projects/{project.pk}/next", {})


def waited(api: Api, project: Project) -> Any:
    """The next task, asked for until there is one."""
    limit = time.monotonic() + 30
    while (answer := taken(api, project)).status == 204:
        assert time.monotonic() < limit, "the lease never ended"
        assert int(answer.headers["retry-after"]) >= 0
        time.sleep(0.2)
    return answer.body


def answered(api: Api, episode: int) -> int:
    """Let the model answer; returns the version that a submit is based on."""
    began = api.good(f"/episodes/{episode}/continue", {"if_head": 0})
    tab = api.tab()
    tab.watch(began["generation"]["id"])
    tab.end(began["generation"]["id"])
    tab.close()
    return int(began["episode"]["version"])


def test_twenty_browsers_get_five_leases(stack: Stack, web: Web, project: Project) -> None:
    for _ in range(TASKS):
        stack.task("Tell me of the sea.", project=project)
    apis = people(stack, web, project, BROWSERS)
    together = Barrier(BROWSERS)

    def ask(api: Api) -> Answer:
        together.wait(60)
        return taken(api, project)

    with ThreadPoolExecutor(BROWSERS) as threads:
        answers = list(threads.map(ask, apis))
    got = [answer.body for answer in answers if answer.status == 200]
    none = [answer for answer in answers if answer.status == 204]
    assert (len(got), len(none)) == (TASKS, BROWSERS - TASKS), [one.status for one in answers]
    assert len({one["task"]["id"] for one in got}) == TASKS
    assert len({one["lease"]["id"] for one in got}) == TASKS
    assert Lease.objects.live().filter(task__project=project).count() == TASKS
    assert all(int(one.headers["retry-after"]) > 0 for one in none)
    # Whoever asks again goes on with the same task.
    for api, answer in zip(apis, answers, strict=True):
        again = taken(api, project)
        assert again.status == answer.status
        if answer.status == 200:
            assert again.body["lease"]["id"] == answer.body["lease"]["id"]
        api.close()


def test_a_killed_tab_gives_its_task_back_and_a_late_submit_is_kept(
    stack: Stack, hasty: Web, project: Project
) -> None:
    task = stack.task("Tell me of the sea.", project=project)
    first, second = people(stack, hasty, project, 2)
    work = taken(first, project).body
    episode = work["episode"]["id"]
    version = answered(first, episode)
    assert first.call("POST", f"/leases/{work['lease']['id']}/heartbeat", {}).status == 200
    assert taken(second, project).status == 204
    # The first tab is gone now: nothing keeps the lease any more.
    other = waited(second, project)
    assert other["task"]["id"] == task.pk
    assert other["episode"]["id"] != episode
    assert first.call("POST", f"/leases/{work['lease']['id']}/heartbeat", {}).status == 410
    done = second.good(
        f"/episodes/{other['episode']['id']}/submit",
        {"if_head": answered(second, other["episode"]["id"]), "answers": {}},
    )
    assert done["episode"]["status"] == "accepted"
    late = first.good(f"/episodes/{episode}/submit", {"if_head": version, "answers": {}})
    assert late["episode"]["status"] == "accepted"
    assert Submission.objects.filter(episode__task=task).count() == 2
    first.close()
    second.close()


def test_a_heartbeat_keeps_the_task(stack: Stack, hasty: Web, project: Project) -> None:
    stack.task("Tell me of the sea.", project=project)
    first, second = people(stack, hasty, project, 2)
    lease = taken(first, project).body["lease"]["id"]
    limit = time.monotonic() + 1.5 * LEASE_SECONDS
    while time.monotonic() < limit:
        assert first.call("POST", f"/leases/{lease}/heartbeat", {}).status == 200
        assert taken(second, project).status == 204
        time.sleep(LEASE_SECONDS / 6)
    first.close()
    second.close()
