"""Reviewers see what was handed in, open the oldest first, and never their own."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client as Browser

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.models import Membership, Project, Task
from stet.traces.models import Episode
from tests.annotate.test_acts import do
from tests.conftest import Client
from tests.traces.conftest import answer, ids_of


@pytest.fixture
def handed_in(as_annotator: Client, project: Project, tasks: list[Task]) -> list[Episode]:
    """Two episodes that wait, the older one first."""
    project.settings = {"review": True}
    project.save(update_fields=["settings"])
    found = []
    for _ in range(2):
        got = as_annotator.act(f"/api/v1/projects/{project.pk}/next")
        episode = Episode.objects.get(pk=got.data["episode"]["id"])
        answer(episode, ids_of("Rain on the roof."))
        do(as_annotator, episode, "submit")
        found.append(episode)
    return found


def person(project: Project, name: str, role: Role) -> Browser:
    user = User.objects.create_user(name)
    Membership.objects.create(project=project, user=user, role=role)
    browser = Browser()
    browser.force_login(user)
    return browser


def page(browser: Browser, project: Project, more: str = "") -> Any:
    return browser.get(f"/projects/{project.pk}/review/{more}")


def test_a_reviewer_is_led_from_the_oldest_on(project: Project, handed_in: list[Episode]) -> None:
    first, second = handed_in
    reviewer = person(project, "rita", Role.REVIEWER)
    listed = page(reviewer, project)
    assert [row.pk for row in listed.context["waiting"]] == [first.pk, second.pk]
    assert page(reviewer, project, "next/").url == f"/episodes/{first.pk}/"
    assert page(reviewer, project, f"next/?after={first.pk}").url == f"/episodes/{second.pk}/"
    opened = reviewer.get(f"/episodes/{first.pk}/")
    assert opened.context["review"] == {"by": str(first.author), "status": "submitted", "left": 1}


def test_nothing_left_leads_back_to_the_list(project: Project, handed_in: list[Episode]) -> None:
    Episode.objects.update(status="accepted")
    reviewer = person(project, "rita", Role.REVIEWER)
    assert page(reviewer, project, "next/").url == f"/projects/{project.pk}/review/"
    assert page(reviewer, project, "next/?after=x").status_code == 302


def test_what_was_sent_back_stands_apart_with_what_was_said(
    project: Project, handed_in: list[Episode], as_reviewer: Client
) -> None:
    do(as_reviewer, handed_in[0], "return", comment="Name the river.")
    listed = page(person(project, "rita", Role.REVIEWER), project)
    assert [row.pk for row in listed.context["waiting"]] == [handed_in[1].pk]
    assert [(row.pk, note) for row, note in listed.context["returned"]] == [
        (handed_in[0].pk, "Name the river.")
    ]


def test_nobody_reviews_their_own(project: Project, handed_in: list[Episode]) -> None:
    author = handed_in[0].author
    Membership.objects.filter(user=author).update(role=Role.OWNER)
    browser = Browser()
    browser.force_login(author)
    assert page(browser, project).context["waiting"] == []
    assert browser.get(f"/episodes/{handed_in[0].pk}/").context["review"] is None


def test_annotators_and_strangers_have_no_such_page(
    project: Project, handed_in: list[Episode]
) -> None:
    assert page(person(project, "anna", Role.ANNOTATOR), project).status_code == 403
    stranger = Browser()
    stranger.force_login(User.objects.create_user("stranger"))
    assert page(stranger, project).status_code == 404
    assert page(stranger, project, "next/").status_code == 404
