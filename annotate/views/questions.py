"""The page on which an owner writes what is asked beside the corrections."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotate import services
from annotate.models import Question
from annotate.question_form import question_fields
from annotate.selectors import question_list
from annotate.selectors.questions import question_versions
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import NotFound, StetError
from stet.projects.models import Project
from stet.projects.selectors import access_project

KINDS = Question.Kind


@login_required
@require_http_methods(["GET", "POST"])
def questions(request: HttpRequest, pk: int) -> HttpResponse:
    """The questions in their order, a preview, and a form for a new one or a new version."""
    user = signed_in(request)
    project = access_project(user, pk, Role.OWNER)
    if request.method == "POST":
        try:
            fields = _whole_numbers(project, question_fields(request.POST.dict()))
            services.question_save(user=user, project=project, **fields)
        except StetError as error:
            return _page(request, project, _typed(request), error)
        messages.success(request, _("The question is saved; it is asked from now on."))
        return redirect("questions", pk)
    edited = request.GET.get("edit", "")
    found = next((q for q in question_list(project.pk) if q.key == edited), None)
    return _page(request, project, _written(found) if found else {})


@login_required
@require_POST
def question_act(request: HttpRequest, pk: int, key: str) -> HttpResponse:
    """Move a question up or down, or ask it no more."""
    user = signed_in(request)
    project = access_project(user, pk, Role.OWNER)
    question = question_versions(project.pk).filter(key=key).first()
    if question is None:
        raise NotFound()
    act = request.POST.get("act")
    try:
        if act == "retire":
            services.question_retire(user=user, question_id=question.pk)
            messages.success(request, _("It is asked no more; its answers stay."))
        elif act in ("up", "down"):
            by = -1 if act == "up" else 1
            services.question_move(user=user, project=project, key=key, by=by)
    except StetError as error:
        return _page(request, project, {}, error)
    return redirect("questions", pk)


def _page(
    request: HttpRequest, project: Project, form: dict[str, Any], error: StetError | None = None
) -> HttpResponse:
    asked = question_list(project.pk)
    context = {
        "project": project,
        "section": "projects",
        "tab": "questions",
        "questions": [_shown(question, asked) for question in asked],
        "gone": question_versions(project.pk).filter(retired=True).count(),
        "kinds": [
            (KINDS.SINGLE.value, _("one of several")),
            (KINDS.MULTIPLE.value, _("some of several")),
            (KINDS.SCALE.value, _("a scale")),
            (KINDS.TEXT.value, _("a text")),
        ],
        "form": form,
        "error": error,
    }
    return render(
        request, "annotate/questions.html", context, status=error.status if error else 200
    )


def _shown(question: Question, asked: list[Question]) -> dict[str, Any]:
    steps = range(question.min or 0, (question.max or 0) + 1)
    condition = question.condition or {}
    other = next((q for q in asked if q.key == condition.get("question")), None)
    wanted = condition.get("equals")
    values = wanted if isinstance(wanted, list) else [wanted]
    labels = {option["value"]: option["label"] for option in other.options} if other else {}
    return {
        "row": question,
        "steps": list(steps) if question.kind == KINDS.SCALE else [],
        "other": other,
        "values": ", ".join(str(labels.get(value, value)) for value in values),
    }


def _whole_numbers(project: Project, fields: dict[str, Any]) -> dict[str, Any]:
    """A condition on a scale means numbers, which a form sends as text."""
    fields["hotkey"] = fields.get("hotkey") or ""
    condition = fields.get("condition")
    asked = {question.key: question for question in question_list(project.pk)}
    other = asked.get(condition["question"]) if condition else None
    if condition and other is not None and other.kind == KINDS.SCALE:
        values = condition["equals"]
        condition["equals"] = [int(v) if v.lstrip("-").isdecimal() else v for v in values]
    return fields


def _typed(request: HttpRequest) -> dict[str, Any]:
    """What the form held, so that nothing has to be typed again."""
    return request.POST.dict()


def _written(question: Question) -> dict[str, Any]:
    condition = question.condition or {}
    wanted = condition.get("equals", [])
    values = wanted if isinstance(wanted, list) else [wanted]
    options = [f"{option['value']} = {option['label']}" for option in question.options]
    return {
        "edit": question.key,
        "key": question.key,
        "kind": question.kind,
        "label": question.label,
        "help": question.help,
        "options": "\n".join(options),
        "min": question.min,
        "max": question.max,
        "min_label": question.min_label,
        "max_label": question.max_label,
        "required": question.required,
        "hotkey": question.hotkey,
        "condition_question": condition.get("question", ""),
        "condition_equals": ", ".join(map(str, values)),
    }
