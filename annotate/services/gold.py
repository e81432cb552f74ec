"""Marking a task whose right answer is known, so that it can be given to people unnoticed."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.answers import value_fault
from annotate.gold import leaves, left_at, sentence_of
from annotate.models import Submission
from annotate.selectors.questions import question_list
from stet.common.errors import Conflict, Invalid
from stet.common.packing import unpack_ids
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Task
from stet.traces.models import Correction, Episode, Generation, Segment

UNSAID: Any = object()


class NoAnswerYet(Conflict):
    code, title = "no_answer_yet", gettext_lazy("There is no answer to mark yet")


class BadFault(Invalid):
    code, title = "bad_fault", gettext_lazy("The fault is not in the answer")


@transaction.atomic
def gold_set(
    *,
    user: Any,
    task: Task,
    episode: Episode | None = None,
    fault: Any = UNSAID,
    answers: dict[str, Any] | None = None,
) -> Task:
    """Say what is right of the first answer of an episode of the task.

    ``fault``: where its first fault lies, as {"quote"} or {"position"}, or None for none. What is
    not said is taken from what was handed in for the episode.
    """
    task = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    episode = episode or _latest(task)
    first = _first(episode)
    handed_in = episode.submissions.order_by("-n").first() if episode else None
    if episode is None or first is None or (handed_in is None and fault is UNSAID):
        raise NoAnswerYet(
            _("Answer the task yourself and submit it; then mark it. Nothing was changed.")
        )
    segment = Segment.objects.get(pk=first.segment_id)
    tokenizer = load_tokenizer(Folder(first.policy.tokenizer_dir))
    texts = [tokenizer.text_of([token]) for token in unpack_ids(segment.ids)]
    if fault is UNSAID and handed_in is not None:
        index = _left(handed_in, segment)
    else:
        index = _index(fault, texts, segment)
    if answers is None:
        answers = handed_in.answers if handed_in else {}
    _answers_check(task, answers)
    task.gold = {
        "generation": str(first.pk),
        "segment": str(segment.pk),
        "policy": first.policy_id,
        "episode": episode.pk,
        "fault": None if index is None else _fault(index, texts, segment),
        "answers": answers,
        "by": user.pk,
        "at": timezone.now().isoformat(),
    }
    task.save(update_fields=["gold"])
    return task


def gold_unset(*, task: Task) -> None:
    """An ordinary task again; who had it as a gold one keeps what was handed in."""
    Task.objects.filter(pk=task.pk).update(gold=None)


def _latest(task: Task) -> Episode | None:
    rows = Submission.objects.filter(episode__task=task, episode__policy__isnull=False)
    last = rows.select_related("episode").order_by("-pk").first()
    return last.episode if last else None


def _first(episode: Episode | None) -> Generation | None:
    """The first whole answer of the episode, its own or the one that all of the task share."""
    if episode is None:
        return None
    rows = Generation.objects.select_related("policy", "parent", "task").filter(
        task=episode.task_id,
        round=episode.round,
        policy=episode.policy_id,
        parent__parent=None,
        status=Generation.Status.DONE,
        n_tokens__gt=0,
    )
    own = [row for row in rows.order_by("created_at") if row.shared or row.episode == episode]
    return own[0] if own else None


def _left(handed_in: Submission, first: Segment) -> int | None:
    """Where what was handed in leaves the first answer; None where it keeps all of it."""
    rows = Segment.objects.filter(task=first.task_id, round=first.round)
    tree = leaves(list(rows.only("pk", "parent_id", "fork_at")))
    head = (handed_in.head_segment_id, handed_in.head_length)
    through, at = left_at(tree, head, first.pk, first.length)
    if not through:
        opening = Correction.objects.filter(episode=handed_in.episode, segment=first, index=0)
        if opening.exists():
            return 0
        raise BadFault(_("What was handed in does not begin with the first answer; say the place."))
    return at


def _index(fault: Any, texts: list[str], first: Segment) -> int | None:
    if fault is None:
        return None
    if "position" in fault:
        index = int(fault["position"]) - first.start
        if not 0 <= index < first.length:
            raise BadFault(_("The position lies outside the first answer. Nothing was changed."))
        return index
    whole, quote = "".join(texts), fault["quote"]
    if not quote or whole.count(quote) != 1:
        raise BadFault(
            _("The quoted text must stand exactly once in the first answer. Nothing was changed.")
        )
    at, length = whole.index(quote), 0
    for index, text in enumerate(texts):
        length += len(text)
        if length > at:
            return index
    return None


def _fault(index: int, texts: list[str], first: Segment) -> dict[str, Any]:
    low, high = sentence_of(texts, index)
    return {
        "index": index,
        "position": first.start + index,
        "quote": "".join(texts[index : index + 8]),
        "sentence": [low, high],
    }


def _answers_check(task: Task, answers: dict[str, Any]) -> None:
    known = {question.key: question for question in question_list(task.project_id)}
    errors = []
    for key, value in answers.items():
        fault = value_fault(known[key], value) if key in known else _("There is no such question.")
        if fault:
            errors.append({"field": f"answers.{key}", "detail": fault})
    if errors:
        raise Invalid(_("The task was not marked."), errors=errors, code="bad_answers")
