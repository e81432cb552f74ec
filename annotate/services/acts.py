"""How an episode ends: handed in, set aside, skipped, flagged, accepted, returned."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.answers import answers_checked
from annotate.models import Lease, Submission
from annotate.selectors.questions import question_list
from annotate.services.draft import draft_now, draft_write, time_add
from annotate.services.flags import flags_look
from stet.common.errors import Conflict, Forbidden, Invalid
from stet.projects.models import Guideline, Project, Task
from stet.projects.selectors import guideline_now, guideline_version
from stet.projects.switches import switches
from stet.traces import selectors
from stet.traces.models import Act, Episode
from stet.traces.paths import ANSWER, Path
from stet.traces.services import episode_lock, episode_move
from stet.traces.services.episode import state_name
from stet.traces.services.generation import Running

Status = Episode.Status


class NothingToSubmit(Invalid):
    code, title = "nothing_to_submit", gettext_lazy("There is no answer yet")


class WrongStatus(Conflict):
    code, title = "wrong_status", gettext_lazy("The episode is not in the state for this")


@transaction.atomic
def episode_submit(
    *,
    user: Any,
    episode_id: int,
    if_head: int,
    answers: dict[str, Any],
    guideline: int | None = None,
    active_ms: int = 0,
    idle_ms: int = 0,
) -> Submission:
    """Hand in the head as it stands; without review it is accepted at once.

    Raises Running while tokens arrive, NothingToSubmit for a bare prompt, BadAnswers and
    AnswersMissing. A late one, after the lease has ended, is kept like any other; where the task
    has all that it needs, as an extra.
    """
    episode = episode_lock(episode_id, if_head)
    head = selectors.head_resolved(episode.head_segment_id, episode.head_length)
    if head is None:
        raise Running(_("Wait for the end, or correct or stop it; nothing was changed."))
    if given(selectors.path_to(*head)):
        raise NothingToSubmit(_("Let the model answer first; nothing was changed."))
    project = episode.task.project
    questions = question_list(project.pk)
    answers = answers_checked(questions, answers)
    draft = draft_now(episode)
    time_add(episode, draft, active_ms, idle_ms)
    draft.answers = answers
    draft_write(draft)
    submission = Submission.objects.create(
        episode=episode,
        n=episode.submissions.count() + 1,
        head_segment_id=head[0],
        head_length=head[1],
        guideline=_guideline(project, guideline),
        answers=answers,
        questions={question.key: question.version for question in questions},
        active_ms=episode.active_ms,
        idle_ms=draft.idle_ms,
        extra=_enough(episode),
        author=user,
    )
    reviewed = switches(project)["review"]
    status = Status.SUBMITTED if reviewed else Status.ACCEPTED
    episode_move(episode, Act.Kind.SUBMIT, user, head=head, status=status)
    _release(user, episode)
    return submission


def _enough(episode: Episode) -> bool:
    """Whether the task has all the answers that it needs without this one."""
    tasks = Task.objects.select_for_update(no_key=True).only("overlap", "gold", "filled_at")
    task = tasks.get(pk=episode.task_id)
    if task.gold is not None:
        return False
    others = _slots(episode).exclude(pk=episode.pk).count()
    if others + 1 >= task.overlap and task.filled_at is None:
        Task.objects.filter(pk=task.pk).update(filled_at=Now())
    return others >= task.overlap


def _opened(episode: Episode) -> None:
    """An answer was taken back: its task may need another one."""
    task = Task.objects.select_for_update(no_key=True).get(pk=episode.task_id)
    if task.filled_at is not None and _slots(episode).count() < task.overlap:
        Task.objects.filter(pk=task.pk).update(filled_at=None)


def _slots(episode: Episode) -> QuerySet[Episode]:
    """The answers to a task that count, those that were sent back among them."""
    return Episode.objects.filter(
        task_id=episode.task_id,
        round=episode.round,
        policy__isnull=False,
        status__in=(Status.SUBMITTED, Status.ACCEPTED, Status.RETURNED),
    )


def _guideline(project: Project, version: int | None) -> Guideline | None:
    """What the annotator worked by; raises Invalid for a version that the project never had."""
    if version is None:
        return guideline_now(project)
    shown = guideline_version(project, version)
    if shown is None:
        raise Invalid(
            _("The project has no guideline of version %(version)d. Nothing was handed in.")
            % {"version": version},
            code="no_such_guideline",
        )
    return shown


def given(path: Path) -> bool:
    """Whether the path ends in what the model was given: it is its turn to answer."""
    return path.tip.segment.origin not in ANSWER


def _release(user: Any, episode: Episode) -> None:
    held = Lease.objects.filter(task_id=episode.task_id, annotator=user, released_at=None)
    held.update(released_at=Now())


ASIDE = {
    "later": (Act.Kind.LATER, Status.LATER),
    "skip": (Act.Kind.SKIP, Status.SKIPPED),
    "flag": (Act.Kind.FLAG, Status.FLAGGED),
}


@transaction.atomic
def episode_set_aside(
    *, user: Any, episode_id: int, if_head: int, how: str, reason: str = ""
) -> Episode:
    """``later`` keeps it for its author, ``skip`` gives it to others, ``flag`` takes it out.

    After ``skips_to_flag`` people skipped a task, it leaves the queue as if it were flagged.
    """
    kind, status = ASIDE[how]
    episode = episode_lock(episode_id, if_head)
    episode_move(episode, kind, user, status=status, note=reason)
    _release(user, episode)
    if how != "later":
        flags_look(episode)
    return episode


@transaction.atomic
def episode_reopen(*, user: Any, episode_id: int, if_head: int) -> Episode:
    """Go on with one's own work that was handed in, set aside, skipped or flagged."""
    episode = episode_lock(episode_id, if_head, workable=False)
    if episode.status in {Status.OPEN, Status.RETURNED}:
        raise WrongStatus(_("It is open already; nothing was changed."))
    if episode.status == Status.ACCEPTED and switches(episode.task.project)["review"]:
        raise WrongStatus(_("A reviewer accepted it; only a reviewer can return it."))
    flagged = episode.status in {Status.SKIPPED, Status.FLAGGED}
    episode_move(episode, Act.Kind.REOPEN, user, status=Status.OPEN)
    if flagged:
        flags_look(episode)
    else:
        _opened(episode)
    return episode


def episode_accept(*, user: Any, episode_id: int, if_head: int) -> Episode:
    """A reviewer lets the submission stand."""
    return _review(user, episode_id, if_head, Act.Kind.ACCEPT, Status.ACCEPTED, "")


def episode_return(*, user: Any, episode_id: int, if_head: int, comment: str) -> Episode:
    """A reviewer sends the submission back with a comment; it comes first in its author's queue."""
    return _review(user, episode_id, if_head, Act.Kind.RETURN, Status.RETURNED, comment)


@transaction.atomic
def _review(
    user: Any, episode_id: int, if_head: int, kind: Act.Kind, status: str, note: str
) -> Episode:
    episode = episode_lock(episode_id, if_head, workable=False)
    if episode.author_id == user.pk:
        raise Forbidden(_("Nobody reviews their own work; nothing was changed."))
    allowed = {Status.SUBMITTED} if kind == Act.Kind.ACCEPT else {Status.SUBMITTED, Status.ACCEPTED}
    if episode.status not in allowed:
        raise WrongStatus(
            _("The episode is %(state)s; nothing was changed.") % {"state": state_name(episode)}
        )
    episode_move(episode, kind, user, status=status, note=note)
    return episode
