"""The pages of who leads a project: who may open them, what stands there, what their forms do."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client as Browser
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotate.models import Lease, Question
from annotate.selectors.leases import people_counts
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.policies.models import PolicyVersion
from stet.policies.selectors import policy_of
from stet.projects.models import Project, Task
from stet.traces.models import Episode
from tests.annotate.test_acts import do
from tests.annotate.test_asides import hand_in, own
from tests.annotate.test_queue import next_of
from tests.conftest import Client, client_of, member
from tests.traces.conftest import answer, ids_of

EVIL = "<script>alert(1)</script>"


def browser(user: User) -> Browser:
    client = Browser()
    client.force_login(user)
    return client


@pytest.fixture
def page(owner: User) -> Browser:
    return browser(owner)


@pytest.mark.parametrize("name", ["queue", "questions", "gold"])
def test_owners_alone_get_in(
    name: str,
    project: Project,
    page: Browser,
    annotator: User,
    reviewer: User,
    researcher: User,
    stranger: User,
) -> None:
    route = f"/projects/{project.pk}/{name}/"
    assert page.get(route).status_code == 200
    for user in (annotator, reviewer, researcher):
        assert browser(user).get(route).status_code == 403
        assert f"/{name}/" not in browser(user).get(f"/projects/{project.pk}/").text
    assert browser(stranger).get(route).status_code == 404
    assert Browser().get(route).status_code == 302


def test_forms_of_the_lead_are_closed_to_others(
    project: Project, tasks: list[Task], as_annotator: Client, reviewer: User, stranger: User
) -> None:
    next_of(as_annotator, project)
    lease = Lease.objects.get()
    start = f"/projects/{project.pk}"
    forms = [
        (f"{start}/queue/leases/{lease.pk}/", {}),
        (f"{start}/queue/tasks/{tasks[0].pk}/", {"decision": "retire"}),
        (f"{start}/questions/", {"key": "x", "label": "X", "kind": "text"}),
        (f"{start}/questions/x/", {"act": "retire"}),
        (f"{start}/gold/mark/", {"task": str(tasks[0].pk)}),
        (f"{start}/settings/switches/", {"gold_percent": "5", "skips_to_flag": "3"}),
    ]
    for user, status in ((as_annotator.person, 403), (reviewer, 403), (stranger, 404)):
        for address, body in forms:
            assert browser(user).post(address, body).status_code == status, address
    assert not Question.objects.exists()
    lease.refresh_from_db()
    assert lease.released_at is None


def test_everybody_sees_how_far_it_is(
    project: Project, tasks: list[Task], as_annotator: Client, page: Browser, stranger: User
) -> None:
    next_of(as_annotator, project)
    hand_in(as_annotator, tasks[2])
    next_of(as_annotator, project)
    route = f"/projects/{project.pk}/progress/"
    mine = browser(as_annotator.person).get(route).text
    assert "1 of 3 answers" in mine
    assert "yours: 1, today 1" in mine
    assert "in hand" not in mine
    assert "in hand 1" in page.get(route).text
    assert browser(stranger).get(route).status_code == 404
    assert f'hx-get="{route}"' in page.get(f"/projects/{project.pk}/").text


def test_the_time_of_each_person_is_that_of_all_their_work(
    project: Project, tasks: list[Task], as_annotator: Client, page: Browser
) -> None:
    next_of(as_annotator, project)
    hand_in(as_annotator, tasks[2])
    episode = own(as_annotator, tasks[2])
    do(as_annotator, episode, "reopen")
    do(as_annotator, episode, "submit", active_ms=180_000, idle_ms=600_000)
    people = people_counts(project)
    assert [(row["count"], row["today"], row["active_minutes"]) for row in people] == [(1, 1, 3)]
    assert (people[0]["idle_minutes"], people[0]["each_seconds"]) == (10, 180)
    assert "180 s" in page.get(f"/projects/{project.pk}/queue/").text


def test_the_queue_names_who_holds_what_and_releases_it(
    project: Project, tasks: list[Task], as_annotator: Client, page: Browser
) -> None:
    next_of(as_annotator, project)
    route = f"/projects/{project.pk}/queue/"
    assert "annotator" in page.get(route).text
    lease = Lease.objects.get()
    assert page.post(f"{route}leases/{lease.pk}/").status_code == 302
    after = page.get(route).text
    assert "is free again" in after
    assert "Nobody has a task in hand" in after
    assert page.post(f"{route}leases/{lease.pk + 99}/").status_code == 404


def test_flagged_tasks_stand_with_their_reasons_until_they_are_decided(
    project: Project, tasks: list[Task], as_annotator: Client, page: Browser
) -> None:
    route = f"/projects/{project.pk}/queue/"
    for task, decision in ((tasks[2], "put_back"), (tasks[1], "retire")):
        assert next_of(as_annotator, project) == task.pk
        do(as_annotator, own(as_annotator, task), "flag", reason=f"{EVIL} names a person")
        shown = page.get(route).text
        assert "names a person" in shown
        assert EVIL not in shown
        assert page.post(f"{route}tasks/{task.pk}/", {"decision": "other"}).status_code == 422
        sent = page.post(f"{route}tasks/{task.pk}/", {"decision": decision})
        assert sent.status_code == 302
        assert "names a person" not in page.get(route).text
    tasks[1].refresh_from_db()
    assert tasks[1].retired_at is not None


def test_questions_are_written_changed_moved_and_retired(project: Project, page: Browser) -> None:
    route = f"/projects/{project.pk}/questions/"
    assert "No question yet" in page.get(route).text
    tone = {
        "key": "tone",
        "label": "The tone",
        "kind": "single",
        "options": "good = Good\nbad = Bad",
        "required": "on",
        "hotkey": "t",
    }
    assert page.post(route, tone).status_code == 302
    scale = {"key": "stars", "label": "Stars", "kind": "scale", "min": "1", "max": "5"}
    assert page.post(route, scale).status_code == 302
    why = {
        "key": "why",
        "label": "Why so few",
        "kind": "text",
        "condition_question": "stars",
        "condition_equals": "1, 2",
    }
    assert page.post(route, why).status_code == 302
    assert Question.objects.get(key="why").condition == {"question": "stars", "equals": [1, 2]}
    shown = page.get(route).text
    for text in ("The tone", "Good", "only if “Stars” is 1, 2", "<kbd>t</kbd>"):
        assert text in shown
    clash = page.post(route, {**scale, "hotkey": "?", "label": "Kept as typed"})
    assert clash.status_code == 422
    assert "Show the keys" in clash.text
    assert "Kept as typed" in clash.text
    edit = page.get(f"{route}?edit=tone").text
    assert "good = Good" in edit
    assert page.post(route, {**tone, "label": "Its tone"}).status_code == 302
    assert page.post(f"{route}stars/", {"act": "up"}).status_code == 302
    shown = page.get(route).text
    assert shown.index("Stars") < shown.index("Its tone")
    assert page.post(f"{route}stars/", {"act": "retire"}).status_code == 409
    assert page.post(f"{route}tone/", {"act": "retire"}).status_code == 302
    assert "Its tone" not in page.get(route).text
    assert page.post(f"{route}nothing/", {"act": "up"}).status_code == 404


def test_known_answers_are_marked_and_scored_on_the_page(
    project: Project, tasks: list[Task], as_owner: Client, page: Browser, as_annotator: Client
) -> None:
    route = f"/projects/{project.pk}/gold/"
    assert next_of(as_owner, project) == tasks[2].pk
    answer(Episode.objects.get(), ids_of("Rain on the roof."))
    do(as_owner, Episode.objects.get(), "submit")
    assert "queue-2" in page.get(route).text
    task = {"task": str(tasks[2].pk)}
    bad = page.post(f"{route}mark/", {**task, "fault": "quote", "quote": "snow"})
    assert bad.status_code == 422
    assert 'role="alert"' in bad.text
    assert page.post(f"{route}mark/", {**task, "fault": "none"}).status_code == 302
    tasks[2].refresh_from_db()
    assert (tasks[2].gold or {})["fault"] is None
    assert "their share is 0" in page.get(route).text
    assert page.post(f"{route}mark/", {**task, "act": "unmark"}).status_code == 302
    assert page.post(f"{route}mark/", {"task": "x"}).status_code == 404
    tasks[2].refresh_from_db()
    assert tasks[2].gold is None


def test_an_owner_turns_the_switches(project: Project, page: Browser) -> None:
    route = f"/projects/{project.pk}/settings/"
    sent = {"review": "on", "gold_percent": "7.5", "skips_to_flag": "2", "reasons": "wrong\n\nrude"}
    assert page.post(f"{route}switches/", sent).status_code == 302
    project.refresh_from_db()
    assert project.settings["review"] is True
    assert project.settings["heat"] is False
    assert (project.settings["gold_share"], project.settings["skips_to_flag"]) == (0.075, 2)
    assert project.settings["reasons"] == ["wrong", "rude"]
    assert 'value="7.5"' in page.get(route).text
    for change in ({"gold_percent": "60"}, {"skips_to_flag": "0"}, {"reasons": "x\n" * 41}):
        assert page.post(f"{route}switches/", {**sent, **change}).status_code == 422


def test_anybody_makes_a_project_and_owns_it(stranger: User, policy: PolicyVersion) -> None:
    client = browser(stranger)
    assert "/projects/new/" in client.get("/").text
    assert client.post("/projects/new/", {"name": " "}).status_code == 422
    sent = client.post("/projects/new/", {"name": EVIL, "description": "Why not."})
    assert sent.status_code == 302
    made = Project.objects.get(name=EVIL)
    assert made.memberships.get().role == Role.OWNER
    assert policy_of(made.pk) == policy
    shown = client.get(sent.headers["Location"])
    assert shown.status_code == 200
    assert EVIL not in shown.text


@pytest.mark.parametrize(
    ("zone", "at", "today"),
    [
        ("Asia/Shanghai", "2026-03-02T15:30:00+00:00", 1),
        ("Europe/Berlin", "2026-03-02T15:30:00+00:00", 0),
        ("Nowhere/Land", "2026-03-02T15:30:00+00:00", 0),
    ],
)
def test_today_is_the_day_where_the_reader_is(
    project: Project,
    tasks: list[Task],
    as_annotator: Client,
    monkeypatch: pytest.MonkeyPatch,
    zone: str,
    at: str,
    today: int,
) -> None:
    """Handed in at 23:30 in Shanghai, looked at just before and after midnight."""
    moment = timezone.datetime.fromisoformat(at)
    next_of(as_annotator, project)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    hand_in(as_annotator, tasks[2])
    reader = browser(as_annotator.person)
    reader.cookies["timezone"] = zone
    route = f"/projects/{project.pk}/progress/"
    assert "today 1" in reader.get(route).text
    later = {1: moment + timezone.timedelta(minutes=29), 0: moment + timezone.timedelta(hours=9)}
    monkeypatch.setattr(timezone, "now", lambda: later[today])
    assert f"yours: 1, today {today}" in reader.get(route).text


def test_a_long_list_costs_six_questions_to_the_database(
    project: Project,
    annotator: User,
    page: Browser,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    rows = [
        Task(
            project=project,
            external_id=f"t{n:06}",
            content_sha256=b"",
            messages=[{"role": "user", "content": "x"}],
        )
        for n in range(5_000)
    ]
    Task.objects.bulk_create(rows)
    route = f"/projects/{project.pk}/tasks/"
    with django_assert_max_num_queries(6) as asked:
        last = page.get(f"{route}?cursor={rows[-60].pk}")
    assert "t004941" in last.text
    assert not [query for query in asked.captured_queries if "messages" in query["sql"]]
    assert "t004000" in page.get(f"{route}?name=t0040").text
    assert "No such task" in page.get(f"{route}?name=zzz").text
    assert browser(annotator).get(route).status_code == 200
    other = client_of(member(project, "other", Role.REVIEWER))
    with django_assert_max_num_queries(4):
        other.get(f"/api/v1/projects/{project.pk}/tasks?limit=200")


def test_who_finds_the_queue_empty_hears_when_to_come_back(
    project: Project, tasks: list[Task], as_annotator: Client, page: Browser
) -> None:
    Task.objects.exclude(pk=tasks[2].pk).update(retired_at=tasks[2].created_at)
    next_of(as_annotator, project)
    said: Any = page.post(f"/projects/{project.pk}/next/", follow=True)
    assert "may come free in 30 minutes" in said.text
    hand_in(as_annotator, tasks[2])
    said = page.post(f"/projects/{project.pk}/next/", follow=True)
    assert "Nothing is left in this queue at the moment." in said.text
