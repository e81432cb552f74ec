"""Later, skip and flag; what an owner does about them; work that comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from annotate.models import Lease, Submission
from annotate.selectors.flags import flagged_tasks
from annotate.selectors.progress import project_done
from annotate.services import task_put_back, task_retire
from stet.accounts.roles import Role
from stet.projects.models import Project, Task
from stet.traces.models import Act, Episode
from tests.annotate.test_acts import do
from tests.annotate.test_queue import expire, next_of
from tests.conftest import Client, client_of, member
from tests.traces.conftest import answer, ids_of


@pytest.fixture
def people(project: Project) -> list[Client]:
    return [client_of(member(project, f"p{n}", Role.ANNOTATOR)) for n in range(4)]


@pytest.fixture
def only(tasks: list[Task]) -> Task:
    """The last task is the only one in the queue."""
    Task.objects.exclude(pk=tasks[2].pk).update(retired_at=tasks[2].created_at)
    return tasks[2]


def own(client: Client, task: Task) -> Episode:
    return Episode.objects.get(author=client.person, task=task)


def hand_in(client: Client, task: Task) -> Any:
    episode = own(client, task)
    answer(episode, ids_of("Rain on the roof."))
    return do(client, episode, "submit")


def test_a_skip_fills_no_slot_and_who_skipped_never_sees_it_again(
    project: Project, only: Task, people: list[Client]
) -> None:
    Task.objects.update(overlap=2)
    a, b, c, d = people
    assert next_of(a, project) == only.pk
    do(a, own(a, only), "skip", reason="I know the author.")
    assert next_of(a, project) is None
    for client in (b, c):
        assert next_of(client, project) == only.pk
        assert hand_in(client, only).status_code == 200
    assert next_of(d, project) is None
    assert next_of(a, project) is None
    assert Submission.objects.filter(episode__task=only).count() == 2
    assert Act.objects.get(kind="skip").note == "I know the author."
    assert project_done(project) == (2, 2)


def test_so_many_skips_put_the_task_before_the_owner(
    project: Project, only: Task, people: list[Client], as_reviewer: Client
) -> None:
    for client in people[:3]:
        assert next_of(client, project) == only.pk
        do(client, own(client, only), "skip", reason="Unclear.")
    assert next_of(people[3], project) is None
    assert list(flagged_tasks(project)) == [only]
    do(people[0], own(people[0], only), "reopen")
    assert not flagged_tasks(project)
    do(people[0], own(people[0], only), "skip", reason="Still unclear.")
    assert list(flagged_tasks(project)) == [only]
    task_put_back(task=only)
    assert not flagged_tasks(project)
    assert next_of(people[0], project) is None
    assert next_of(people[3], project) == only.pk
    do(people[3], own(people[3], only), "skip", reason="Unclear.")
    assert next_of(as_reviewer, project) == only.pk


def test_a_flag_takes_the_task_out_for_everybody_until_it_is_put_back_or_retired(
    project: Project, only: Task, people: list[Client]
) -> None:
    Task.objects.update(overlap=2)
    a, b, c, d = people
    next_of(a, project)
    next_of(b, project)
    do(a, own(a, only), "flag", reason="It names a person.")
    assert next_of(c, project) is None
    assert hand_in(b, only).status_code == 200
    task_put_back(task=only)
    assert next_of(c, project) == only.pk
    assert next_of(d, project) is None
    task_retire(task=only)
    assert hand_in(c, only).status_code == 200
    assert next_of(d, project) is None


def test_what_was_set_aside_comes_back_when_nothing_else_is_left(
    as_annotator: Client, project: Project, tasks: list[Task]
) -> None:
    first = next_of(as_annotator, project)
    do(as_annotator, own(as_annotator, tasks[2]), "later")
    for task in (tasks[1], tasks[0]):
        assert next_of(as_annotator, project) == task.pk
        hand_in(as_annotator, task)
    assert next_of(as_annotator, project) == first
    assert Lease.objects.live().count() == 1


def test_a_killed_tab_frees_the_task_and_the_late_answer_is_an_extra(
    project: Project, only: Task, people: list[Client]
) -> None:
    a, b = people[:2]
    next_of(a, project)
    assert next_of(b, project) is None
    expire(annotator=a.person)
    assert next_of(b, project) == only.pk
    assert next_of(a, project) is None
    assert hand_in(b, only).status_code == 200
    late = hand_in(a, only)
    assert late.status_code == 200
    assert list(Submission.objects.order_by("pk").values_list("extra", flat=True)) == [False, True]
    assert project_done(project) == (1, 1)


def test_after_an_expiry_one_goes_on_with_ones_own_if_nobody_took_it(
    as_annotator: Client, project: Project, tasks: list[Task]
) -> None:
    first = next_of(as_annotator, project)
    expire()
    assert next_of(as_annotator, project) == first
    assert Episode.objects.count() == 1


def test_an_owner_releases_what_somebody_holds(
    as_owner: Client,
    as_researcher: Client,
    project: Project,
    only: Task,
    people: list[Client],
) -> None:
    a, b = people[:2]
    next_of(a, project)
    lease = Lease.objects.get()
    route = f"/api/v1/leases/{lease.pk}"
    assert as_researcher.act(f"{route}/release").status_code == 404
    assert as_owner.act(f"{route}/heartbeat").status_code == 404
    assert as_owner.act(f"{route}/release").status_code == 204
    lease.refresh_from_db()
    assert lease.released_by == as_owner.person
    assert a.act(f"{route}/heartbeat").data["code"] == "lease_ended"
    assert next_of(b, project) == only.pk


def test_returned_work_tops_the_queue_with_its_comment_and_goes_in_again(
    as_reviewer: Client, project: Project, tasks: list[Task], people: list[Client]
) -> None:
    project.settings = {"review": True}
    project.save()
    a = people[0]
    next_of(a, project)
    episode = own(a, tasks[2])
    for n in (1, 2):
        hand_in(a, tasks[2])
        do(as_reviewer, episode, "return", comment=f"Not yet, {n}.")
    page = page_of(a, episode)
    assert (page["returned"]["comment"], page["returned"]["n"]) == ("Not yet, 2.", 2)
    assert page["returned"]["by"]["name"] == "reviewer"
    handed_in = Submission.objects.get(n=2)
    assert page["returned"]["head"] == {
        "segment": str(handed_in.head_segment_id),
        "length": handed_in.head_length,
    }
    assert page["progress"] == {"mine_today": 1, "mine": 1, "done": 0, "needed": 3}
    assert next_of(a, project) == tasks[2].pk
    hand_in(a, tasks[2])
    assert page_of(a, episode)["returned"] is None
    assert project_done(project) == (1, 3)
    assert [row.n for row in Submission.objects.order_by("n")] == [1, 2, 3]


def page_of(client: Client, episode: Episode) -> Any:
    client.force_login(client.person)
    text = client.get(f"/episodes/{episode.pk}/").content.decode()
    found = re.search(r'<script id="page-data" type="application/json">(.*?)</script>', text)
    assert found is not None
    return json.loads(found[1])


def test_a_filled_task_is_passed_over_until_an_answer_is_taken_back(
    as_annotator: Client, project: Project, only: Task, people: list[Client]
) -> None:
    next_of(as_annotator, project)
    hand_in(as_annotator, only)
    only.refresh_from_db()
    assert only.filled_at is not None
    assert next_of(people[0], project) is None
    do(as_annotator, own(as_annotator, only), "reopen")
    only.refresh_from_db()
    assert only.filled_at is None
    assert next_of(people[0], project) == only.pk


def test_an_owner_decides_over_rest(
    as_annotator: Client, as_owner: Client, project: Project, only: Task
) -> None:
    next_of(as_annotator, project)
    do(as_annotator, own(as_annotator, only), "flag", reason="Broken.")
    route = f"/api/v1/tasks/{only.pk}"
    back = as_owner.act(f"{route}/put-back")
    assert (back.status_code, back.json()["flagged_at"]) == (200, None)
    gone = as_owner.act(f"{route}/retire")
    assert gone.json()["retired_at"] is not None
