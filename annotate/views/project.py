"""The page on which a project is made."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotate import services
from stet.accounts.selectors import signed_in
from stet.common.errors import StetError
from stet.common.serializers import validated
from stet.projects.settings_form import NewProject


@login_required
@require_http_methods(["GET", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """A new project; who makes it owns it."""
    user = signed_in(request)
    error = None
    if request.method == "POST":
        given = {name: request.POST.get(name, "").strip() for name in ("name", "description")}
        try:
            project = services.project_begin(user=user, **validated(NewProject, given))
        except StetError as problem:
            error = problem
        else:
            messages.success(request, _("The project is made. Next: tasks and a guideline."))
            return redirect("project", project.pk)
    context = {"error": error, "form": request.POST, "section": "projects"}
    return render(request, "projects/new.html", context, status=error.status if error else 200)
