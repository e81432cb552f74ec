"""Questions: each change is a further version of its key, also the last one that retires it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.forms import model_to_dict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.answers import value_fault
from annotate.models import Question
from annotate.selectors.questions import question_list, question_versions
from stet.accounts.keys import key_taken
from stet.common.errors import Conflict, Invalid, NotFound
from stet.projects.models import Project

Kind = Question.Kind
WITHOUT = ("id", "project", "author", "version")
MOST = 60


class HotkeyTaken(Invalid):
    code, title = "hotkey_taken", gettext_lazy("This key has a meaning already")


class ConditionDepends(Conflict):
    code, title = "condition_depends", gettext_lazy("Another question depends on this one")


@transaction.atomic
def question_save(*, user: Any, project: Project, **fields: Any) -> Question:
    """A new question, or the next version of its key.

    Raises HotkeyTaken, Invalid with one entry per fault, ConditionDepends.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    asked = {question.key: question for question in question_list(project.pk)}
    old = asked.get(fields["key"])
    if old is None and len(asked) >= MOST:
        raise Invalid(_("A project asks at most %(max)d questions.") % {"max": MOST})
    last = max((question.position for question in asked.values()), default=0)
    fields.setdefault("position", old.position if old else last + 1)
    question = Question(project=project, author=user, version=_next(project, fields["key"]))
    for name, value in fields.items():
        setattr(question, name, value)
    _hotkey_check(question, asked)
    _shape_check(question, asked)
    _dependants_check(question, {**asked, question.key: question})
    question.save()
    return question


@transaction.atomic
def question_retire(*, user: Any, question_id: int) -> Question:
    """Ask the question no more; answers that were given stay. Raises ConditionDepends."""
    found = Question.objects.select_related("project").filter(pk=question_id).first()
    if found is None:
        raise NotFound()
    Project.objects.select_for_update(no_key=True).get(pk=found.project_id)
    asked = question_list(found.project_id)
    live = next((question for question in asked if question.key == found.key), None)
    if live is None:
        return question_versions(found.project_id).get(key=found.key)
    for other in asked:
        if other.condition and other.condition["question"] == live.key:
            raise ConditionDepends(
                _("“%(other)s” is asked only after “%(label)s”; change that first.")
                % {"other": other.label, "label": live.label}
            )
    return _further(live, user, retired=True)


@transaction.atomic
def question_move(*, user: Any, project: Project, key: str, by: int) -> None:
    """One place up (-1) or down (1) in the order of asking."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    asked = question_list(project.pk)
    at = next((i for i, question in enumerate(asked) if question.key == key), None)
    if at is None:
        raise NotFound()
    if not 0 <= at + by < len(asked):
        return
    asked[at], asked[at + by] = asked[at + by], asked[at]
    for place, question in enumerate(asked, 1):
        if question.position != place:
            _further(question, user, position=place)


def _next(project: Project, key: str) -> int:
    return Question.objects.filter(project=project, key=key).count() + 1


def _further(old: Question, user: Any, **changes: Any) -> Question:
    kept = model_to_dict(old, exclude=WITHOUT)
    return Question.objects.create(
        project=old.project, author=user, version=old.version + 1, **{**kept, **changes}
    )


def _hotkey_check(question: Question, asked: dict[str, Question]) -> None:
    key = question.hotkey = question.hotkey.lower()
    if not key:
        return
    clash = key_taken(key)
    owner = next((q for q in asked.values() if q.hotkey == key and q.key != question.key), None)
    clash = owner.label if owner else clash
    if clash:
        text = _("The key “%(key)s” is taken: %(clash)s. Choose another one.")
        detail = text % {"key": key, "clash": clash}
        raise HotkeyTaken(detail, errors=[{"field": "hotkey", "detail": detail}], clash=clash)


def _shape_check(question: Question, asked: dict[str, Question]) -> None:
    faults: list[tuple[str, str]] = []
    choosing = question.kind in (Kind.SINGLE, Kind.MULTIPLE)
    values = [option["value"] for option in question.options]
    if choosing and len(values) < 2:
        faults.append(("options", _("Give at least two options.")))
    if choosing and len(set(values)) < len(values):
        faults.append(("options", _("Two options have the same value.")))
    if not choosing:
        question.options = []
    if question.kind == Kind.SCALE:
        if question.min is None or question.max is None or not question.min < question.max:
            faults.append(("max", _("A scale runs from a number to a greater one.")))
        elif question.max - question.min > 20:
            faults.append(("max", _("A scale has at most 21 steps.")))
    else:
        question.min = question.max = None
        question.min_label = question.max_label = ""
    fault = question.condition and _condition_fault(question, asked)
    if fault:
        faults.append(("condition", fault))
    if faults:
        errors = [{"field": field, "detail": text} for field, text in faults]
        raise Invalid(_("The question was not saved."), errors=errors, code="bad_question")


def _condition_fault(question: Question, asked: dict[str, Question]) -> str:
    condition = question.condition or {}
    other = asked.get(condition["question"])
    if other is None or other.key == question.key:
        return _("It may depend on another question that is asked, not on itself.")
    wanted = condition["equals"]
    for value in wanted if isinstance(wanted, list) else [wanted]:
        one = [value] if other.kind == Kind.MULTIPLE else value
        if other.kind == Kind.TEXT or value in (None, "") or value_fault(other, one):
            return _("“%(label)s” cannot have this answer.") % {"label": other.label}
    seen = {question.key}
    while other is not None and other.condition:
        if other.key in seen:
            break
        seen.add(other.key)
        other = asked.get(other.condition["question"])
    if other is not None and other.key in seen:
        return _("The questions would wait for one another.")
    return ""


def _dependants_check(question: Question, asked: dict[str, Question]) -> None:
    """What depends on the question must still be able to come true."""
    for other in asked.values():
        depends = other.condition and other.condition["question"] == question.key
        if depends and other.key != question.key and (fault := _condition_fault(other, asked)):
            raise ConditionDepends(
                _("“%(other)s” is asked only after an answer that would be gone: %(fault)s")
                % {"other": other.label, "fault": fault}
            )
