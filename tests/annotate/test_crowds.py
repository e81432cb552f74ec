"""Many people at once: nobody shares a task that one person does, and nothing is counted twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from django.db import connections

from annotate.models import Lease, Submission
from annotate.selectors.progress import project_done
from annotate.services import task_begin
from annotate.services.queue import lease_hold
from stet.accounts.roles import Role
from stet.projects.models import Project, Task
from stet.projects.services import task_create
from stet.traces.models import Act, Episode
from tests.conftest import Client, client_of, member
from tests.traces.conftest import answer, ids_of, policy

__all__ = ["policy"]
T = TypeVar("T")
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("policy")]


def crowd(project: Project, count: int) -> list[Client]:
    return [client_of(member(project, f"p{n}", Role.ANNOTATOR)) for n in range(count)]


def add(project: Project, count: int, **more: Any) -> list[Task]:
    message = {"role": "user", "content": "Write a line."}
    rows = [{"external_id": f"c{n}", "messages": [message], **more} for n in range(count)]
    return [task_create(project=project, row=row) for row in rows]


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """All calls in threads that begin together."""
    start = Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        try:
            start.wait(30)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def test_twenty_people_on_five_tasks_get_five_leases_and_fifteen_clear_answers(
    project: Project,
) -> None:
    add(project, 5)
    route = f"/api/v1/projects/{project.pk}/next"
    people = crowd(project, 20)
    got = at_once([lambda one=one: one.act(route) for one in people])  # type: ignore[misc]
    assert Counter(answer.status_code for answer in got) == {200: 5, 204: 15}
    assert Lease.objects.live().values("task").distinct().count() == 5
    assert Lease.objects.count() == Episode.objects.count() == 5
    for one in got:
        if one.status_code == 204:
            assert 1700 < int(one.headers["Retry-After"]) <= 1800


def test_an_overlap_is_filled_and_not_overfilled(project: Project) -> None:
    add(project, 1, overlap=3)
    route = f"/api/v1/projects/{project.pk}/next"
    got = at_once([lambda one=one: one.act(route) for one in crowd(project, 6)])  # type: ignore[misc]
    assert Counter(answer.status_code for answer in got) == {200: 3, 204: 3}


def test_two_tabs_of_one_person_get_the_same_task(project: Project) -> None:
    add(project, 4)
    person = crowd(project, 1)[0].person
    route = f"/api/v1/projects/{project.pk}/next"
    got = at_once([lambda: client_of(person).act(route) for _ in range(4)])
    assert {answer.status_code for answer in got} == {200}
    assert len({answer.data["episode"]["id"] for answer in got}) == 1


def test_fifteen_people_submit_at_once_to_their_own_and_again_to_one_task(
    project: Project,
) -> None:
    people = crowd(project, 15)
    own = [begun(one, project, task) for one, task in zip(people, add(project, 15), strict=True)]
    first = at_once([lambda p=p, e=e: hand_in(p, e) for p, e in zip(people, own, strict=True)])  # type: ignore[misc]
    assert [answer.status_code for answer in first] == [200] * 15
    assert project_done(project) == (15, 15)
    # Again, to one task that all of them hold, with two tabs of the same version for some.
    Task.objects.filter(external_id="c0").update(overlap=15)
    shared = Task.objects.get(external_id="c0")
    later = [begun(one, project, shared) for one in people[1:]]
    pairs = [*zip(people[1:], later, strict=True), (people[1], later[0])]
    again = at_once([lambda p=p, e=e: hand_in(p, e) for p, e in pairs])  # type: ignore[misc]
    assert Counter(answer.status_code for answer in again) == {200: 14, 412: 1}
    assert Submission.objects.count() == 15 + 14
    assert Act.objects.filter(kind="submit").count() == Submission.objects.count()
    finished = Episode.objects.filter(task=shared, status="accepted").count()
    assert (finished, Submission.objects.filter(extra=True).count()) == (15, 0)
    assert project_done(project) == (29, 29)


def begun(client: Client, project: Project, task: Task) -> Episode:
    lease_hold(user=client.person, task=task)
    episode = task_begin(user=client.person, task=task)
    answer(episode, ids_of("Rain on the roof."))
    return episode


def hand_in(client: Client, episode: Episode) -> Any:
    tab = client_of(client.person)
    return tab.act(f"/api/v1/episodes/{episode.pk}/submit", {"if_head": 0}, key=str(uuid4()))
