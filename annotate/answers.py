"""Answers to a project's questions: which are asked, which are missing, which cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Question
from stet.common.errors import Invalid

MAX_TEXT = 20_000
Answers = dict[str, Any]
Kind = Question.Kind


class BadAnswers(Invalid):
    code, title = "bad_answers", gettext_lazy("An answer does not fit its question")


class AnswersMissing(Invalid):
    code, title = "answers_missing", gettext_lazy("A required question has no answer")


def answers_checked(questions: Iterable[Question], given: Mapping[str, Any]) -> Answers:
    """The answers of the questions that are asked; those of the others are dropped.

    Raises BadAnswers for a key or a value that there is not, AnswersMissing for required ones.
    """
    known = {question.key: question for question in questions}
    wrong = [
        {"field": key, "detail": _("This question is not asked here any more.")}
        for key in given
        if key not in known
    ]
    wrong += [
        {"field": key, "detail": fault}
        for key, question in known.items()
        if key in given and (fault := value_fault(question, given[key]))
    ]
    if wrong:
        raise BadAnswers(
            _("Nothing was handed in; your answers are kept. Look at: %(names)s.")
            % {"names": _names(wrong, known)},
            errors=wrong,
        )
    asked = asked_of(known, given)
    missing = [
        {"field": question.key, "detail": _("Please answer this question.")}
        for question in asked
        if question.required and empty(given.get(question.key))
    ]
    if missing:
        raise AnswersMissing(
            _("Nothing was handed in; your answers are kept. Still to answer: %(names)s.")
            % {"names": _names(missing, known)},
            errors=missing,
        )
    return {q.key: given[q.key] for q in asked if not empty(given.get(q.key))}


def draft_checked(keys: Iterable[str], given: Mapping[str, Any]) -> Answers:
    """Answers as a draft keeps them: of keys that there ever were, of any shape an answer has."""
    known = set(keys)
    wrong = [
        {"field": key[:60], "detail": _("There is no such question, or this is no answer.")}
        for key, value in given.items()
        if key not in known or not _shaped(value)
    ]
    if wrong:
        raise BadAnswers(_("The draft was not changed."), errors=wrong)
    return {key: value for key, value in given.items() if not empty(value)}


def asked_of(known: Mapping[str, Question], given: Mapping[str, Any]) -> list[Question]:
    """The questions whose condition holds, in order; what is not asked makes none hold."""
    return [question for question in known.values() if _asked(question, known, given, ())]


def _asked(
    question: Question,
    known: Mapping[str, Question],
    given: Mapping[str, Any],
    above: tuple[str, ...],
) -> bool:
    if not question.condition:
        return True
    other = known.get(question.condition["question"])
    if other is None or other.key in above:
        return False
    wanted = question.condition["equals"]
    values = wanted if isinstance(wanted, list) else [wanted]
    answer = given.get(other.key)
    chosen = answer if isinstance(answer, list) else [answer]
    return any(value in values for value in chosen) and _asked(
        other, known, given, (*above, question.key)
    )


def empty(value: Any) -> bool:
    """Whether a value is no answer at all."""
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def value_fault(question: Question, value: Any) -> str:
    """Why the value is no answer to the question; empty where it is one, or says nothing."""
    values = [option["value"] for option in question.options]
    if empty(value):
        return ""
    if question.kind == Kind.SINGLE and (type(value) is not str or value not in values):
        return _("Choose one of: %(values)s.") % {"values": ", ".join(values)}
    if question.kind == Kind.MULTIPLE and not (
        isinstance(value, list)
        and len(set(map(str, value))) == len(value)
        and all(type(item) is str and item in values for item in value)
    ):
        return _("Choose some of: %(values)s.") % {"values": ", ".join(values)}
    if question.kind == Kind.SCALE:
        low, high = question.min or 0, question.max or 0
        if type(value) is not int or not low <= value <= high:
            return _("A whole number from %(low)d to %(high)d.") % {"low": low, "high": high}
    if question.kind == Kind.TEXT and (type(value) is not str or len(value) > MAX_TEXT):
        return _("A text of at most %(max)d characters.") % {"max": MAX_TEXT}
    return ""


def _shaped(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= 100 and all(type(x) is str and len(x) <= 120 for x in value)
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    return value is None or (type(value) is int and abs(value) < 2**31)


def _names(faults: list[dict[str, str]], known: Mapping[str, Question]) -> str:
    return ", ".join(known[f["field"]].label if f["field"] in known else f["field"] for f in faults)
