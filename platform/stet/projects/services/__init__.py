"""What is written about projects, one file per noun."""

from stet.projects.services.demo import demo_project_ensure
from stet.projects.services.guideline import guideline_create
from stet.projects.services.imports import import_create
from stet.projects.services.member import member_add, member_change, member_end
from stet.projects.services.project import project_change, project_create
from stet.projects.services.task import Added, task_create, tasks_add

__all__ = [
    "Added",
    "demo_project_ensure",
    "guideline_create",
    "import_create",
    "member_add",
    "member_change",
    "member_end",
    "project_change",
    "project_create",
    "task_create",
    "tasks_add",
]
