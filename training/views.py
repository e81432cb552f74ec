"""The page of a project's exports."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import StetError
from stet.projects.models import Project
from stet.projects.selectors import access_project
from training import services
from training.documents import export_card
from training.selectors import access_export, export_list
from training.targets.base import targets

NEWEST = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def exports(request: HttpRequest, pk: int) -> HttpResponse:
    """The project's exports, and a form that freezes another one."""
    user = signed_in(request)
    project = access_project(user, pk, Role.RESEARCHER)
    if request.method != "POST":
        return _page(request, project)
    try:
        services.project_export(project=project, user=user, target=request.POST.get("target", ""))
    except StetError as error:
        return _page(request, project, error)
    return redirect("exports", pk)


@login_required
@require_GET
def export(request: HttpRequest, pk: int) -> HttpResponse:
    """One export's card, asked for again while it is being written."""
    found = access_export(signed_in(request), pk)
    return render(request, "training/_export.html", {"export": export_card(found)})


def _page(request: HttpRequest, project: Project, error: StetError | None = None) -> HttpResponse:
    mine = export_list(signed_in(request)).filter(dataset__project=project)
    context: dict[str, Any] = {
        "project": project,
        "targets": _targets(),
        "exports": [export_card(row) for row in mine.order_by("-pk")[:NEWEST]],
        "error": error.detail if error else "",
    }
    status = error.status if error else 200
    return render(request, "training/exports.html", context, status=status)


def _targets() -> list[dict[str, str]]:
    labels = {
        "sft": _("Supervised fine-tuning: ids and labels of every accepted answer."),
        "dpo": _("Preferences: the accepted answer against each branch that was left."),
        "rollouts": _("Reinforcement learning: ids, log-probabilities, origins and rewards."),
        "token-corrections": _("Each correction: what stood before it, rejected and accepted."),
        "panda": _("Panda files, for the tools that read them."),
    }
    return [{"name": name, "label": labels.get(name, "")} for name in targets()]
