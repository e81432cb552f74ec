"""The pages of who leads a project: progress, who holds what, what waits for a decision."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotate import selectors, services
from annotate.models import Lease
from annotate.selectors.flags import by_task, complaints_of, flagged_tasks
from annotate.selectors.leases import held_leases, people_counts
from annotate.selectors.progress import project_done
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import Invalid, NotFound
from stet.projects.models import Project, Task
from stet.projects.page_data import cursor_of
from stet.projects.selectors import access_membership, access_project
from stet.traces.services import generation_stop

PAGE = 50


@login_required
@require_GET
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """A part of the project's page: what was done of what is needed."""
    user = signed_in(request)
    mine = access_membership(user, pk)
    lead = mine.role == Role.OWNER
    numbers = selectors.progress_of(user, mine.project)
    if lead:
        numbers["done"], numbers["needed"] = project_done(mine.project)
    context: dict[str, Any] = {"project": mine.project, "lead": lead, "progress": numbers}
    context["bars"] = _bars(mine.project, numbers, lead)
    return render(request, "annotate/_progress.html", context)


def _bars(project: Project, numbers: dict[str, int], lead: bool) -> list[dict[str, Any]]:
    """Runs of the bar [start, width] in thousandths of what is needed."""
    whole = max(numbers["needed"], 1)
    parts = [("done", numbers["done"])]
    if lead:
        parts.append(("held", min(held_leases(project).count(), whole - numbers["done"])))
    bars, start = [], 0.0
    for name, count in parts:
        width = 1000 * max(count, 0) / whole
        bars.append({"name": name, "count": count, "x": f"{start:.1f}", "width": f"{width:.1f}"})
        start += width
    return bars


@login_required
@require_GET
def queue(request: HttpRequest, pk: int) -> HttpResponse:
    """Who holds what until when, and the tasks that wait for a decision."""
    project = access_project(signed_in(request), pk, Role.OWNER)
    after = cursor_of(request.GET.get("after", ""))
    flagged = list(flagged_tasks(project, after)[: PAGE + 1])
    said = by_task(complaints_of(*flagged[:PAGE]))
    held = list(held_leases(project).order_by("expires_at")[: PAGE * 4])
    done, needed = project_done(project)
    context = {
        "project": project,
        "section": "projects",
        "tab": "queue",
        "held": held,
        "flagged": [{"task": task, "said": said.get(task.pk, [])} for task in flagged[:PAGE]],
        "after": flagged[PAGE - 1].pk if len(flagged) > PAGE else None,
        "people": people_counts(project),
        "done": done,
        "needed": needed,
    }
    return render(request, "annotate/queue.html", context)


@login_required
@require_POST
def lease_release(request: HttpRequest, pk: int, lease_id: int) -> HttpResponse:
    """Give somebody's task back to the queue."""
    user = signed_in(request)
    project = access_project(user, pk, Role.OWNER)
    lease = Lease.objects.select_related("annotator", "task").filter(pk=lease_id).first()
    if lease is None or lease.task.project_id != project.pk:
        raise NotFound()
    services.lease_release(lease, user)
    for generation in selectors.running(lease):
        generation_stop(generation, status="abandoned")
    text = _("“%(task)s” is free again. What %(name)s did is kept.")
    messages.success(request, text % {"task": lease.task, "name": lease.annotator})
    return redirect("queue", pk)


@login_required
@require_POST
def task_decide(request: HttpRequest, pk: int, task_id: int) -> HttpResponse:
    """Put a task back into the queue, or take it out for good."""
    project = access_project(signed_in(request), pk, Role.OWNER)
    task = Task.objects.filter(pk=task_id, project=project).first()
    if task is None:
        raise NotFound()
    decision = request.POST.get("decision", "")
    if decision == "put_back":
        services.task_put_back(task=task)
        messages.success(request, _("“%(task)s” is in the queue again.") % {"task": task})
    elif decision == "retire":
        services.task_retire(task=task)
        messages.success(request, _("“%(task)s” will not be given out any more.") % {"task": task})
    else:
        raise Invalid(_("A decision is “put_back” or “retire”. Nothing was changed."))
    return redirect("queue", pk)
