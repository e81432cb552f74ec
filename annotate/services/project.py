"""A project that people can work in at once."""

from __future__ import annotations

from django.db import transaction

from stet.accounts.models import User
from stet.policies.models import PolicyVersion
from stet.policies.services import policy_activate
from stet.projects.models import Project
from stet.projects.services import project_create


@transaction.atomic
def project_begin(*, user: User, name: str, description: str = "") -> Project:
    """A new project of ``user`` that samples from the newest policy of the installation."""
    project = project_create(user=user, name=name, description=description)
    newest = PolicyVersion.objects.order_by("-pk").first()
    if newest is not None:
        policy_activate(project=project, policy=newest, author=user)
    return project
