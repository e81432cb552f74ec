"""A question as it comes in: over REST, and from the form of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotate.models import Question
from stet.common.serializers import StrictSerializer, validated


class OptionBody(StrictSerializer):
    value = serializers.CharField(max_length=120)
    label = serializers.CharField(max_length=200)  # type: ignore[assignment]


class ConditionBody(StrictSerializer):
    question = serializers.CharField(max_length=60)
    equals = serializers.JSONField()

    def validate_equals(self, value: Any) -> Any:
        values = value if isinstance(value, list) else [value]
        if not 1 <= len(values) <= 60 or any(type(one) not in (str, int) for one in values):
            raise serializers.ValidationError(_("A value, or a list of values."))
        return value


class QuestionBody(StrictSerializer):
    key = serializers.RegexField(r"^[a-z][a-z0-9_]{0,59}$")
    kind = serializers.ChoiceField(Question.Kind.choices)
    options = serializers.ListField(child=OptionBody(), required=False, max_length=60)
    min = serializers.IntegerField(required=False, allow_null=True, min_value=-100, max_value=100)
    max = serializers.IntegerField(required=False, allow_null=True, min_value=-100, max_value=100)
    min_label = serializers.CharField(required=False, allow_blank=True, max_length=80)
    max_label = serializers.CharField(required=False, allow_blank=True, max_length=80)
    required = serializers.BooleanField(required=False)  # type: ignore[assignment]
    condition = ConditionBody(required=False, allow_null=True)
    hotkey = serializers.RegexField(r"^\S?$", required=False, allow_blank=True, allow_null=True)
    position = serializers.IntegerField(required=False, min_value=0, max_value=10_000)
    label = serializers.CharField(max_length=200)  # type: ignore[assignment]
    help = serializers.CharField(required=False, allow_blank=True, max_length=4000)


def question_fields(form: Mapping[str, str]) -> dict[str, Any]:
    """The checked fields of a question from what the page's form sent.

    Options stand one a line, as ``value = label`` or as a label that is its value.
    """
    data: dict[str, Any] = {
        name: form[name].strip()
        for name in ("key", "kind", "label", "help", "min_label", "max_label", "hotkey")
        if name in form
    }
    data["required"] = "required" in form
    lines = [line for line in form.get("options", "").splitlines() if line.strip()]
    data["options"] = [_option(line) for line in lines]
    for name in ("min", "max"):
        if form.get(name, "").strip():
            data[name] = form[name].strip()
    if form.get("condition_question"):
        wanted = [value.strip() for value in form.get("condition_equals", "").split(",")]
        data["condition"] = {"question": form["condition_question"], "equals": wanted}
    fields: dict[str, Any] = validated(QuestionBody, data)
    return fields


def _option(line: str) -> dict[str, str]:
    value, _sign, label = (part.strip() for part in line.partition("="))
    return {"value": value, "label": label or value}
