"""The pages of reviewers: what waits, and the next of it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotate.selectors.review import may_review, return_notes, review_list, review_next
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.projects.selectors import access_membership, access_project
from stet.projects.switches import switches
from stet.traces.models import Episode

SHOWN = 100


@login_required
@require_GET
def review_index(request: HttpRequest, pk: int) -> HttpResponse:
    """What was handed in and waits, and what was sent back and has not come again."""
    user = signed_in(request)
    mine = access_membership(user, pk, Role.REVIEWER)
    project = mine.project
    waiting = review_list(user, project)
    returned = list(review_list(user, project, Episode.Status.RETURNED)[:SHOWN])
    said = return_notes(returned)
    context = {
        "project": project,
        "section": "projects",
        "waiting": list(waiting[:SHOWN]),
        "waiting_count": waiting.count(),
        "returned": [(episode, said.get(episode.pk, "")) for episode in returned],
        "review": switches(project)["review"],
        "tab": "review",
        "can_review": True,
        "lead_is_absent": mine.role != Role.OWNER,
    }
    return render(request, "annotate/review.html", context)


@login_required
@require_GET
def review_open_next(request: HttpRequest, pk: int) -> HttpResponse:
    """Open what has waited longest; ``?after=`` names an episode to pass over."""
    user = signed_in(request)
    project = access_project(user, pk, Role.REVIEWER)
    after = request.GET.get("after", "")
    episode = review_next(user, project, int(after) if after.isdecimal() else 0)
    if episode is None:
        messages.info(request, _("Nothing further waits for your review."))
        return redirect("review", pk=pk)
    return redirect("episode", pk=episode.pk)


def review_of(user: User, episode: Episode) -> dict[str, Any] | None:
    """What the corrector's page needs where the reader may judge the answer; else None."""
    if not may_review(user, episode):
        return None
    project = episode.task.project
    left = review_list(user, project).exclude(pk=episode.pk).count()
    return {"by": str(episode.author), "status": episode.status, "left": left}
