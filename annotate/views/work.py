"""The pages of people's work: the next task, the corrector, my work."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotate import selectors, services
from annotate.documents import members_document, question_document, returned_document
from annotate.models import Lease
from annotate.selectors.review import return_notes
from annotate.services.draft import draft_document
from annotate.views.review import review_of
from stet.accounts.preferences import preferences
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.markdown import markdown_html
from stet.projects.selectors import access_project, guideline_now, membership_list
from stet.projects.switches import switches
from stet.traces.cards import message_cards
from stet.traces.dialogue import system_in_force
from stet.traces.models import Episode
from stet.traces.selectors import access_episode

Status = Episode.Status
SHOWN, MENTIONS = 200, 20


@login_required
@require_POST
def task_next(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the next task and open it."""
    user = signed_in(request)
    project = access_project(user, pk)
    work = services.task_next(user=user, project=project)
    if work is None:
        messages.info(request, _empty(selectors.frees_in(user, project)))
        return redirect("project", pk=pk)
    return redirect("episode", pk=work.episode.pk)


def _empty(seconds: int | None) -> str:
    """Why there is nothing now, and when there may be."""
    if seconds is None:
        return _("Nothing is left in this queue at the moment.")
    minutes = -(-seconds // 60)
    return ngettext(
        "Nothing is free now. The next task may come free in %(count)d minute.",
        "Nothing is free now. The next task may come free in %(count)d minutes.",
        minutes,
    ) % {"count": minutes}


@login_required
@require_GET
def episode_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The corrector."""
    user = signed_in(request)
    episode = access_episode(user, pk)
    project = episode.task.project
    guideline = guideline_now(project)
    lease = Lease.objects.live().filter(task_id=episode.task_id, annotator=user).first()
    task = {
        "id": episode.task_id,
        **message_cards(episode.task.messages, episode.task.tools),
        "system": system_in_force(episode),
        "title": str(episode.task),
    }
    review = review_of(user, episode)
    page = {
        "episode": episode.pk,
        "project": project.pk,
        "lease": lease.pk if lease else None,
        "api": "/api/v1",
        "ws": "/ws/stream",
        "language": get_language(),
        "me": user.pk,
        "mine": episode.author_id == user.pk,
        "review": review,
        "preferences": preferences(user),
        "reasons": switches(project)["reasons"],
        "task": task,
        "questions": [question_document(row) for row in selectors.question_list(project.pk)],
        "draft": draft_document(selectors.draft_of(episode.pk), episode),
        "returned": returned_document(episode),
        "guideline": {"version": guideline.version, "text": guideline.text} if guideline else None,
        "members": members_document(project),
        "progress": selectors.progress_of(user, project),
        "comments_url": f"/projects/{project.pk}/comments",
    }
    context = {
        "page": page,
        "review": review,
        "task": task,
        "project": project,
        "episode": episode,
        "guideline": guideline,
        "guideline_html": markdown_html(guideline.text) if guideline else "",
        "section": "work",
    }
    return render(request, "annotate/episode.html", context)


@login_required
@require_GET
def work_list(request: HttpRequest) -> HttpResponse:
    """What came back, what is open, what was handed in."""
    user = signed_in(request)
    context = {
        "returned": _rows(user, Status.RETURNED),
        "open": _rows(user, Status.OPEN, Status.LATER),
        "submitted": _rows(user, Status.SUBMITTED, Status.ACCEPTED, Status.SKIPPED, Status.FLAGGED),
        "mentions": _mentions(user),
        "section": "work",
    }
    return render(request, "annotate/work.html", context)


def _rows(user: Any, *statuses: str) -> list[dict[str, Any]]:
    episodes = list(selectors.own_work(user, *statuses)[:SHOWN])
    counts = selectors.correction_counts(episodes)
    notes = return_notes(episodes)
    return [
        {
            "id": episode.pk,
            "title": str(episode.task),
            "project": episode.task.project,
            "status": episode.status,
            "state": episode.get_status_display(),
            "corrections": counts.get(episode.pk, 0),
            "updated_at": episode.updated_at,
            "comment": notes.get(episode.pk, ""),
        }
        for episode in episodes
    ]


def _mentions(user: Any) -> list[dict[str, Any]]:
    """Threads that name the user and are not settled, with the answer where the user may see it."""
    newest = selectors.mention_list(user)[:MENTIONS]
    open_ones = [comment for comment in newest if not getattr(comment, "resolved", False)]
    reviewing = membership_list(user).filter(role__in=Role.REVIEWER.at_least())
    projects = set(reviewing.values_list("project_id", flat=True))
    return [
        {
            "comment": comment,
            "episode": comment.episode_id
            if comment.episode
            and (comment.project_id in projects or comment.episode.author_id == user.pk)
            else None,
        }
        for comment in open_ones
    ]
