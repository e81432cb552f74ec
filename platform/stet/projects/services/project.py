"""Projects: made, and changed by version."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.errors import NotFound, Stale
from stet.projects.models import Membership, Project


class StaleProject(Stale):
    code = "stale_version"


@transaction.atomic
def project_create(
    *, user: User, name: str, description: str = "", settings: dict[str, Any] | None = None
) -> Project:
    """A new project; who makes it is its first owner."""
    project = Project.objects.create(name=name, description=description, settings=settings or {})
    Membership.objects.create(project=project, user=user, role=Role.OWNER)
    return project


@transaction.atomic
def project_change(
    *, project_id: int, if_version: int, archived: bool | None = None, **fields: Any
) -> Project:
    """Change ``name``, ``description`` or single ``settings``; archive it or bring it back.

    Raises StaleProject (412) with the current version if somebody else changed it meanwhile.
    """
    project = Project.objects.select_for_update(no_key=True).filter(pk=project_id).first()
    if project is None:
        raise NotFound()
    if project.version != if_version:
        raise StaleProject(
            _("The project was changed meanwhile. Nothing of this change was kept; look again."),
            current={"version": project.version},
        )
    for name, value in fields.items():
        merged = {**project.settings, **value} if name == "settings" else value
        setattr(project, name, merged)
    if archived is not None:
        project.archived_at = (project.archived_at or timezone.now()) if archived else None
    project.version += 1
    project.save(update_fields=[*fields, "archived_at", "version"])
    return project
