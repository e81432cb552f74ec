"""The page of tasks whose right answer is known, and of how people did on them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotate import services
from annotate.selectors.gold import gold_scores, gold_tasks, markable
from annotate.services.gold import UNSAID
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import Invalid, NotFound, StetError
from stet.policies.selectors import NoPolicy, policy_of
from stet.projects.models import Project, Task
from stet.projects.page_data import cursor_of
from stet.projects.selectors import access_project
from stet.projects.switches import switches
from stet.traces.models import Episode

PAGE = 50


@login_required
@require_GET
def gold(request: HttpRequest, pk: int) -> HttpResponse:
    """What is marked, what may be marked, and the scores."""
    return _page(request, access_project(signed_in(request), pk, Role.OWNER))


@login_required
@require_POST
def gold_mark(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark a task from an episode, or make it an ordinary one again."""
    user = signed_in(request)
    project = access_project(user, pk, Role.OWNER)
    try:
        task = _task(project, request.POST.get("task", ""))
        if request.POST.get("act") == "unmark":
            services.gold_unset(task=task)
            messages.success(request, _("“%(task)s” is an ordinary task again.") % {"task": task})
        else:
            episode = Episode.objects.filter(task=task, pk=_number(request, "episode")).first()
            services.gold_set(user=user, task=task, episode=episode, fault=_fault(request))
            messages.success(request, _("“%(task)s” is marked; nobody can tell.") % {"task": task})
    except StetError as error:
        return _page(request, project, error)
    return redirect("gold", pk)


def _page(request: HttpRequest, project: Project, error: StetError | None = None) -> HttpResponse:
    after = cursor_of(request.GET.get("after", ""))
    tasks = list(gold_tasks(project).filter(pk__gt=after)[: PAGE + 1])
    try:
        policy = policy_of(project.pk).pk
    except NoPolicy:
        policy = 0
    context = {
        "project": project,
        "section": "projects",
        "tab": "gold",
        "share": f"{100 * switches(project)['gold_share']:g}",
        "tasks": [_row(task, policy) for task in tasks[:PAGE]],
        "after": tasks[PAGE - 1].pk if len(tasks) > PAGE else None,
        "markable": markable(project),
        "scores": [_percent(score.document()) for score in gold_scores(project)],
        "error": error,
    }
    return render(request, "annotate/gold.html", context, status=error.status if error else 200)


def _row(task: Task, policy: int) -> dict[str, Any]:
    said = task.gold or {}
    return {
        "task": task,
        "fault": said["fault"] and said["fault"]["quote"].strip(),
        "answers": said["answers"],
        "episode": said["episode"],
        "resting": said["policy"] != policy,
    }


def _percent(score: dict[str, Any]) -> dict[str, Any]:
    names = ("detection", "exact", "near", "sentence", "answers")
    shares = {name: None if score[name] is None else round(100 * score[name]) for name in names}
    return {**score, **shares}


def _task(project: Project, text: str) -> Task:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    task = Task.objects.filter(pk=number, project=project).first()
    if task is None:
        raise NotFound()
    return task


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _fault(request: HttpRequest) -> Any:
    how = request.POST.get("fault", "")
    if how == "quote":
        return {"quote": request.POST.get("quote", "")}
    if how not in ("", "none"):
        raise Invalid(_("Say where the fault is. Nothing was changed."))
    return None if how == "none" else UNSAID
