"""The demo project: its members, guideline and tasks; loading it again adds what is missing."""

from __future__ import annotations

from django.db import transaction

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects import demo
from stet.projects.models import Guideline, Membership, Project
from stet.projects.services.guideline import guideline_create
from stet.projects.services.member import member_add
from stet.projects.services.project import project_create
from stet.projects.services.task import Added, tasks_add
from stet.projects.task_rows import parse_row

NAME = "Demo"
DESCRIPTION = (
    "Short tasks with checkable answers, in English and Chinese, for a small model that errs. / "
    "给容易出错的小模型的短任务，中英文都有，答案可检查。"
)


@transaction.atomic
def demo_project_ensure(*, people: dict[str, User]) -> tuple[Project, Added]:
    """The demo project and what became of its tasks; ``people`` by the name of their role."""
    owner = people["owner"]
    mine = Membership.objects.filter(user=owner, role=Role.OWNER, ended_at=None)
    project = Project.objects.filter(name=NAME, archived_at=None, memberships__in=mine).first()
    if project is None:
        settings = {"sampling": demo.SAMPLING}
        project = project_create(user=owner, name=NAME, description=DESCRIPTION, settings=settings)
        for name in ("annotator", "reviewer", "researcher"):
            member_add(project=project, user=people[name], role=Role(name))
    if not Guideline.objects.filter(project=project).exists():
        text = f"{demo.demo_guideline('en')}\n\n---\n\n{demo.demo_guideline('zh')}"
        guideline_create(project=project, user=owner, text=text)
    rows = [(number, parse_row(row)) for number, row in enumerate(demo.demo_tasks(), 1)]
    return project, tasks_add(project=project, rows=rows, supersede=True)
