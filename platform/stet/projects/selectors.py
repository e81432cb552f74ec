"""How rows of projects are read; whatever a person names is fetched here."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.errors import Forbidden, NotFound
from stet.common.models import Job
from stet.projects.models import Guideline, Membership, Project, Task

HEAVY = ("messages", "tools", "reference", "checks")


def access_membership(user: User, pk: int, role: Role = Role.ANNOTATOR) -> Membership:
    """The user's live membership in project ``pk`` (its ``project`` fetched along).

    Raises NotFound for a project of others, Forbidden if the own role is below ``role``.
    """
    found = (
        Membership.objects.select_related("project")
        .filter(project_id=pk, user_id=user.pk, ended_at=None, project__archived_at=None)
        .first()
        if 0 < pk < 2**63
        else None
    )
    if found is None:
        raise NotFound()
    role_check(found.role, role)
    return found


def access_project(user: User, pk: int, role: Role = Role.ANNOTATOR) -> Project:
    """The project, 404 for a stranger, 403 for a member below ``role``."""
    return access_membership(user, pk, role).project


def access_task(user: User, pk: int, role: Role = Role.ANNOTATOR) -> Task:
    """The task with its project, 404 for a stranger, 403 for a member below ``role``."""
    mine = Membership.objects.filter(
        project=OuterRef("project"), user_id=user.pk, ended_at=None, project__archived_at=None
    )
    found = (
        Task.objects.select_related("project")
        .annotate(my_role=Subquery(mine.values("role")[:1]))
        .filter(pk=pk, my_role__isnull=False)
        .first()
        if 0 < pk < 2**63
        else None
    )
    if found is None:
        raise NotFound()
    role_check(found.my_role, role)
    return found


def role_check(own: str, needed: Role) -> None:
    """Raise Forbidden when the role ``own`` is below ``needed``."""
    if own not in needed.at_least():
        raise Forbidden(
            _("This needs the role %(needed)s; yours is %(own)s. Nothing was changed.")
            % {"needed": needed.label, "own": Role(own).label}
        )


def membership_list(user: User) -> QuerySet[Membership]:
    """The user's live memberships with their projects."""
    mine = Membership.objects.select_related("project")
    return mine.filter(user=user, ended_at=None, project__archived_at=None)


def member_list(project: Project) -> QuerySet[Membership]:
    return project.memberships.filter(ended_at=None).select_related("user")


def guideline_version(project: Project, version: int) -> Guideline | None:
    return Guideline.objects.filter(project=project, version=version).first()


def guideline_now(project: Project) -> Guideline | None:
    """The newest guideline of the project."""
    return Guideline.objects.filter(project=project).order_by("-version").first()


def policy_now(project: Project) -> dict[str, str] | None:
    """Name and base of what the project samples from, read upwards by its related name alone."""
    last = project.activations.select_related("policy").order_by("-pk").first()
    return {"name": str(last.policy), "base": last.policy.base_model} if last else None


def task_list(project: Project, *, retired: bool = False) -> QuerySet[Task]:
    """The project's tasks without their heavy columns; retired ones only if asked for."""
    tasks = Task.objects.filter(project=project).defer(*HEAVY)
    return tasks if retired else tasks.filter(retired_at=None)


def access_job(user: User, pk: int) -> Job:
    """The job, for who started it and for researchers and owners of its project."""
    found = Job.objects.filter(pk=pk).first() if 0 < pk < 2**63 else None
    if found is None:
        raise NotFound()
    if found.project_id is not None:
        own = found.created_by_id == user.pk
        access_project(user, found.project_id, Role.ANNOTATOR if own else Role.RESEARCHER)
    elif found.created_by_id != user.pk:
        raise NotFound()
    return found


def job_list(project: Project, *kinds: str) -> QuerySet[Job]:
    """The project's jobs of these kinds."""
    return Job.objects.filter(project_id=project.pk, kind__in=kinds)
