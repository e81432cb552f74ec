"""Whatever a person names is fetched through one door."""

from __future__ import annotations

import pytest

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.errors import Forbidden, NotFound
from stet.projects.models import Project, Task
from stet.projects.selectors import access_project, access_task
from stet.projects.services import member_end, project_change


def test_a_member_gets_the_project_and_its_tasks(
    project: Project, task: Task, annotator: User
) -> None:
    assert access_project(annotator, project.pk) == project
    assert access_task(annotator, task.pk) == task


def test_a_stranger_gets_404(project: Project, task: Task, stranger: User) -> None:
    with pytest.raises(NotFound):
        access_project(stranger, project.pk)
    with pytest.raises(NotFound):
        access_task(stranger, task.pk)


def test_a_role_that_is_too_low_gets_403(project: Project, task: Task, annotator: User) -> None:
    with pytest.raises(Forbidden):
        access_project(annotator, project.pk, Role.REVIEWER)
    with pytest.raises(Forbidden):
        access_task(annotator, task.pk, Role.OWNER)


def test_a_former_member_gets_404(project: Project, task: Task, annotator: User) -> None:
    member_end(project=project, user_id=annotator.pk)
    with pytest.raises(NotFound):
        access_project(annotator, project.pk)
    with pytest.raises(NotFound):
        access_task(annotator, task.pk)


def test_an_archived_project_is_gone(project: Project, task: Task, annotator: User) -> None:
    project_change(project_id=project.pk, if_version=1, archived=True)
    with pytest.raises(NotFound):
        access_project(annotator, project.pk)
    with pytest.raises(NotFound):
        access_task(annotator, task.pk)


@pytest.mark.parametrize("pk", [0, -1, 2**63, 10**30])
def test_a_number_beyond_the_database_is_404(project: Project, annotator: User, pk: int) -> None:
    with pytest.raises(NotFound):
        access_project(annotator, pk)
    with pytest.raises(NotFound):
        access_task(annotator, pk)
