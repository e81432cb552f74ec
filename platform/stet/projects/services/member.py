"""Members: rows begin and end, so that who could do what stays known."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.errors import Conflict, NotFound
from stet.projects.models import Membership, Project


class LastOwner(Conflict):
    code, title = "last_owner", gettext_lazy("A project needs an owner")


class AlreadyMember(Conflict):
    code, title = "already_member", gettext_lazy("This person is a member already")


@transaction.atomic
def member_add(*, project: Project, user: User, role: Role) -> Membership:
    """Let a person in; raises AlreadyMember (409)."""
    _lock(project)
    if Membership.objects.filter(project=project, user=user, ended_at=None).exists():
        raise AlreadyMember(_("%(name)s is a member already; change the role.") % {"name": user})
    return Membership.objects.create(project=project, user=user, role=role)


@transaction.atomic
def member_change(*, project: Project, user_id: int, role: Role) -> Membership:
    """Give a member another role from now on; the row of the old role ends."""
    old = _live(project, user_id)
    if old.role == role:
        return old
    if role != Role.OWNER:
        _keep_an_owner(project, old)
    _end(old)
    return Membership.objects.create(project=project, user=old.user, role=role)


@transaction.atomic
def member_end(*, project: Project, user_id: int) -> None:
    """Let a member out; what the person did stays. Raises LastOwner (409)."""
    old = _live(project, user_id)
    _keep_an_owner(project, old)
    _end(old)


def _lock(project: Project) -> None:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _live(project: Project, user_id: int) -> Membership:
    _lock(project)
    rows = Membership.objects.select_related("user")
    found = rows.filter(project=project, user_id=user_id, ended_at=None).first()
    if found is None:
        raise NotFound(_("This person is not a member of the project."))
    return found


def _keep_an_owner(project: Project, leaving: Membership) -> None:
    owners = Membership.objects.filter(project=project, role=Role.OWNER, ended_at=None)
    if leaving.role == Role.OWNER and not owners.exclude(pk=leaving.pk).exists():
        raise LastOwner(_("Make somebody else an owner first. Nothing was changed."))


def _end(row: Membership) -> None:
    row.ended_at = timezone.now()
    row.save(update_fields=["ended_at"])
