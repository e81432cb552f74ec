"""The queue: what comes next, for whom, and until when."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.db.models.functions import Now

from annotate import services
from annotate.models import Lease
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.models import Project, Task
from stet.traces.models import Episode
from tests.conftest import Client, client_of, member
from tests.traces.conftest import answer, ids_of


def next_of(client: Client, project: Project) -> int | None:
    """The task that the person gets, None when nothing is left."""
    got = client.act(f"/api/v1/projects/{project.pk}/next")
    if got.status_code == 204:
        assert int(got.headers["Retry-After"]) > 0
        return None
    assert got.status_code == 200, got.data
    assert got.data["lease"]["task"] == got.data["task"]["id"]
    return int(got.data["task"]["id"])


def expire(**which: object) -> None:
    Lease.objects.filter(**which).update(expires_at=Now() - timedelta(seconds=1))


def test_the_most_urgent_comes_first_and_one_goes_on_with_it(
    as_annotator: Client, project: Project, tasks: list[Task]
) -> None:
    assert next_of(as_annotator, project) == tasks[2].pk
    assert next_of(as_annotator, project) == tasks[2].pk
    assert Episode.objects.count() == Lease.objects.count() == 1
    tasks[2].refresh_from_db()
    assert tasks[2].frozen_at is not None


def test_everybody_gets_another_task_until_none_is_left(
    project: Project, tasks: list[Task]
) -> None:
    people = [client_of(member(project, f"person-{n}", Role.ANNOTATOR)) for n in range(4)]
    got = [next_of(client, project) for client in people]
    assert got == [tasks[2].pk, tasks[1].pk, tasks[0].pk, None]


@pytest.mark.django_db(transaction=True)
def test_a_task_that_is_just_being_taken_is_skipped_and_not_waited_for(
    project: Project, tasks: list[Task]
) -> None:
    from django.db import transaction

    second = member(project, "second", Role.ANNOTATOR)

    def take() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '5s'")
        try:
            work = services.task_next(user=second, project=project)
            assert work is not None
            return int(work.lease.task_id)
        finally:
            connections.close_all()

    with transaction.atomic(), ThreadPoolExecutor(1) as thread:
        Task.objects.select_for_update().get(pk=tasks[2].pk)
        assert thread.submit(take).result(60) == tasks[1].pk


def test_a_lease_that_has_run_out_gives_the_task_to_others(
    as_annotator: Client, project: Project, tasks: list[Task]
) -> None:
    other = client_of(member(project, "other", Role.ANNOTATOR))
    mine = next_of(as_annotator, project)
    assert next_of(other, project) != mine
    third = client_of(member(project, "third", Role.ANNOTATOR))
    expire(annotator=as_annotator.person)
    assert next_of(third, project) == mine


def test_the_heartbeat_keeps_a_lease_and_cannot_wake_a_dead_one(
    as_annotator: Client, project: Project, tasks: list[Task]
) -> None:
    next_of(as_annotator, project)
    lease = Lease.objects.get()
    Lease.objects.update(expires_at=Now() + timedelta(seconds=5))
    kept = as_annotator.act(f"/api/v1/leases/{lease.pk}/heartbeat")
    assert kept.status_code == 200
    assert Lease.objects.filter(expires_at__gt=Now() + timedelta(minutes=1)).exists()
    expire()
    gone = as_annotator.act(f"/api/v1/leases/{lease.pk}/heartbeat")
    assert (gone.status_code, gone.data["code"]) == (410, "lease_ended")
    assert "kept" in gone.data["detail"]


def test_nobody_touches_the_lease_of_another(
    as_annotator: Client,
    as_reviewer: Client,
    as_stranger: Client,
    project: Project,
    tasks: list[Task],
) -> None:
    next_of(as_annotator, project)
    lease = Lease.objects.get()
    for client in (as_reviewer, as_stranger):
        for act in ("heartbeat", "release"):
            assert client.act(f"/api/v1/leases/{lease.pk}/{act}").status_code == 404


def test_a_released_task_goes_to_the_next_and_releasing_again_changes_nothing(
    as_annotator: Client, as_reviewer: Client, project: Project, tasks: list[Task]
) -> None:
    mine = next_of(as_annotator, project)
    lease = Lease.objects.get()
    for _ in range(2):
        assert as_annotator.act(f"/api/v1/leases/{lease.pk}/release").status_code == 204
    assert next_of(as_reviewer, project) == mine
    dead = as_annotator.act(f"/api/v1/leases/{lease.pk}/heartbeat")
    assert (dead.status_code, dead.data["code"]) == (410, "lease_ended")


def test_returned_work_comes_before_everything_else(
    as_annotator: Client, as_reviewer: Client, project: Project, tasks: list[Task]
) -> None:
    project.settings = {"review": True}
    project.save()
    first = next_of(as_annotator, project)
    episode = Episode.objects.get()
    answer(episode, ids_of("Rain on the roof."))
    route = f"/api/v1/episodes/{episode.pk}"
    assert as_annotator.act(f"{route}/submit", {"if_head": 0}).status_code == 200
    assert next_of(as_annotator, project) == tasks[1].pk
    back = {"if_head": 1, "comment": "The last word, please."}
    assert as_reviewer.act(f"{route}/return", back).status_code == 200
    assert next_of(as_annotator, project) == first
    again = as_annotator.act(f"{route}/submit", {"if_head": 2})
    assert again.data["episode"]["status"] == "submitted"


def test_a_late_submission_is_kept(
    as_annotator: Client, project: Project, tasks: list[Task]
) -> None:
    next_of(as_annotator, project)
    episode = Episode.objects.get()
    answer(episode, ids_of("Rain on the roof."))
    expire()
    done = as_annotator.act(f"/api/v1/episodes/{episode.pk}/submit", {"if_head": 0})
    assert done.status_code == 200
    assert episode.submissions.count() == 1


def test_with_overlap_two_people_get_it_and_a_third_does_not(
    project: Project, tasks: list[Task], owner: User
) -> None:
    Task.objects.filter(pk=tasks[2].pk).update(overlap=2)
    people = [client_of(member(project, f"person-{n}", Role.ANNOTATOR)) for n in range(3)]
    got = [next_of(client, project) for client in people]
    assert got == [tasks[2].pk, tasks[2].pk, tasks[1].pk]


def test_strangers_have_no_queue_here(
    as_stranger: Client, project: Project, tasks: list[Task]
) -> None:
    assert as_stranger.act(f"/api/v1/projects/{project.pk}/next").status_code == 404
    begin = as_stranger.act(f"/api/v1/tasks/{tasks[0].pk}/episodes")
    assert begin.status_code == 404


def test_only_researchers_begin_besides_the_queue(
    as_annotator: Client, as_researcher: Client, tasks: list[Task]
) -> None:
    route = f"/api/v1/tasks/{tasks[0].pk}/episodes"
    assert as_annotator.act(route).status_code == 403
    assert as_researcher.act(route).status_code == 201
