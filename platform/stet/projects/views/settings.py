"""What the owner of a project sets: switches, members, guideline."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from stet.accounts.roles import Role
from stet.accounts.selectors import person_named, signed_in
from stet.common.errors import Invalid, StetError
from stet.projects import services
from stet.projects.models import Project
from stet.projects.selectors import access_project, guideline_now, member_list
from stet.projects.settings_form import switch_rows, switches_of


@login_required
@require_POST
def switches_save(request: HttpRequest, pk: int) -> HttpResponse:
    """Turn the switches of the project."""
    project = access_project(signed_in(request), pk, Role.OWNER)
    try:
        settings = switches_of(request.POST)
        services.project_change(project_id=pk, if_version=project.version, settings=settings)
    except StetError as error:
        return _settings(request, project, error)
    messages.success(request, _("The settings are saved and hold from the next task on."))
    return redirect("project-settings", pk)


@login_required
@require_GET
def project_settings(request: HttpRequest, pk: int) -> HttpResponse:
    """Switches, members and guideline, for owners."""
    return _settings(request, access_project(signed_in(request), pk, Role.OWNER))


@login_required
@require_POST
def member_save(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a person in, or give a member another role; an empty role ends the membership."""
    project = access_project(signed_in(request), pk, Role.OWNER)
    role = request.POST.get("role", "")
    try:
        user = person_named(request.POST.get("username", ""))
        if role not in ("", *Role.values):
            raise Invalid(_("There is no such role."), code="bad_role")
        is_member = member_list(project).filter(user=user).exists()
        if not role:
            services.member_end(project=project, user_id=user.pk)
        elif is_member:
            services.member_change(project=project, user_id=user.pk, role=Role(role))
        else:
            services.member_add(project=project, user=user, role=Role(role))
    except StetError as error:
        return _settings(request, project, error)
    return redirect("project-settings", pk)


@login_required
@require_POST
def guideline_save(request: HttpRequest, pk: int) -> HttpResponse:
    """A further version of the guideline."""
    user = signed_in(request)
    project = access_project(user, pk, Role.OWNER)
    try:
        services.guideline_create(project=project, user=user, text=request.POST.get("text", ""))
    except StetError as error:
        return _settings(request, project, error)
    return redirect("project", pk)


def _settings(
    request: HttpRequest, project: Project, error: StetError | None = None
) -> HttpResponse:
    guideline = guideline_now(project)
    text = guideline.text if guideline else ""
    context = {
        "project": project,
        "roles": Role.choices,
        "members": member_list(project).order_by("user__username"),
        "section": "projects",
        "tab": "settings",
        "switches": switch_rows(project),
        "version": guideline.version if guideline else 0,
        "text": request.POST.get("text", text),
        "error": error and ("; ".join(each["detail"] for each in error.errors) or error.detail),
    }
    status = error.status if error else 200
    return render(request, "projects/settings.html", context, status=status)
