"""The pages of projects: list, project, import with its progress."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import StetError
from stet.common.markdown import markdown_html
from stet.common.serializers import validated
from stet.projects.import_form import ImportInSerializer, import_begin
from stet.projects.job_view import job_card
from stet.projects.page_data import cursor_of, project_counts, project_rows, task_rows
from stet.projects.selectors import (
    access_job,
    access_membership,
    access_project,
    guideline_now,
    job_list,
    member_list,
    policy_now,
)
from stet.projects.services.imports import TASKS, TRACES

# What the form of an import offers beside the file.
CHOICES = ("kind", "on_conflict")


@login_required
@require_GET
def project_index(request: HttpRequest) -> HttpResponse:
    rows = project_rows(signed_in(request))
    return render(request, "projects/list.html", {"project_rows": rows, "section": "projects"})


@login_required
@require_GET
def project_detail(request: HttpRequest, pk: int) -> HttpResponse:
    user = signed_in(request)
    mine = access_membership(user, pk)
    project, role = mine.project, mine.role
    guideline = guideline_now(project)
    only = None if role in Role.REVIEWER.at_least() else user
    tasks, next_cursor = task_rows(project, cursor_of(request.GET.get("cursor", "")), only)
    context = {
        "project": project,
        "role": role,
        "section": "projects",
        "counts": project_counts(project),
        "guideline": guideline
        and {"version": guideline.version, "html": markdown_html(guideline.text)},
        "members": [
            {"name": row.user, "role": Role(row.role).label} for row in member_list(project)
        ],
        "tasks": tasks,
        "next_cursor": next_cursor,
        "policy": policy_now(project),
        "can_import": role in Role.RESEARCHER.at_least(),
        "can_export": role in Role.RESEARCHER.at_least(),
        "can_annotate": True,
        "can_review": role in Role.REVIEWER.at_least(),
        "can_manage": role == Role.OWNER,
        "tab": "project",
        "lead_is_absent": role != Role.OWNER,
    }
    return render(request, "projects/detail.html", context)


@login_required
@require_GET
def task_index(request: HttpRequest, pk: int) -> HttpResponse:
    """All tasks, page by page, or those whose name begins with some text."""
    user = signed_in(request)
    mine = access_membership(user, pk)
    only = None if mine.role in Role.REVIEWER.at_least() else user
    after = cursor_of(request.GET.get("cursor", ""))
    start = request.GET.get("name", "").replace("\x00", "")[:200]
    tasks, next_cursor = task_rows(mine.project, after, only, start)
    context = {
        "project": mine.project,
        "section": "projects",
        "tab": "tasks",
        "lead_is_absent": mine.role != Role.OWNER,
        "tasks": tasks,
        "next_cursor": next_cursor,
        "name": start,
        "paged": True,
        "can_review": mine.role in Role.REVIEWER.at_least(),
        "can_import": mine.role in Role.RESEARCHER.at_least(),
    }
    return render(request, "projects/tasks.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def project_import(request: HttpRequest, pk: int) -> HttpResponse:
    user = signed_in(request)
    project = access_project(user, pk, Role.RESEARCHER)
    error = ""
    if request.method == "POST":
        chosen = {name: request.POST[name] for name in CHOICES if name in request.POST}
        data = {**chosen, **({"file": request.FILES["file"]} if "file" in request.FILES else {})}
        try:
            fields = validated(ImportInSerializer, data)
            job = import_begin(project=project, user=user, **fields)
        except StetError as problem:
            error = "; ".join(each["detail"] for each in problem.errors) or problem.detail
        else:
            return redirect(f"{request.path}?job={job.pk}")
    recent = [job_card(job) for job in job_list(project, TASKS, TRACES).order_by("-pk")[:10]]
    shown = next((job for job in recent if str(job["id"]) == request.GET.get("job")), None)
    context = {"project": project, "error": error, "job": shown, "recent_jobs": recent}
    return render(request, "projects/import.html", context, status=422 if error else 200)


@login_required
@require_GET
def job_detail(request: HttpRequest, pk: int) -> HttpResponse:
    user = signed_in(request)
    job = access_job(user, pk)
    project = access_project(user, job.project_id) if job.project_id else None
    return render(request, "projects/_job.html", {"job": job_card(job), "project": project})
