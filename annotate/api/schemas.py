"""What the interface of people's work takes and gives."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from annotate.models import Question
from stet.common.serializers import StrictSerializer
from stet.traces.api.schemas import IfHead

MOST_MS = 7 * 86_400_000


class LeaseOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    task = serializers.IntegerField()
    expires_at = serializers.DateTimeField()
    released_at = serializers.DateTimeField(allow_null=True)


class NextOut(serializers.Serializer[Any]):
    lease = LeaseOut()
    task = serializers.DictField()
    episode = serializers.DictField()


class TimesBody(StrictSerializer):
    active_ms = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_MS, help_text="since the last report"
    )
    idle_ms = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_MS, help_text="since the last report"
    )


class SubmitBody(IfHead, TimesBody):
    answers = serializers.DictField(required=False)
    guideline = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="the version that was shown; else the newest",
    )


class AsideBody(IfHead):
    reason = serializers.CharField(max_length=2000)


class ReturnBody(IfHead):
    comment = serializers.CharField(max_length=20_000)


class EpisodeCreateOut(serializers.Serializer[Any]):
    episode = serializers.DictField()


class QuestionOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    version = serializers.IntegerField()
    kind = serializers.ChoiceField(Question.Kind.choices)
    options = serializers.ListField(child=serializers.DictField())
    min = serializers.IntegerField(allow_null=True)
    max = serializers.IntegerField(allow_null=True)
    min_label = serializers.CharField()
    max_label = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment]
    condition = serializers.DictField(allow_null=True)
    hotkey = serializers.CharField(allow_null=True)
    position = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]
    help = serializers.CharField()


class QuestionsOut(serializers.Serializer[Any]):
    results = QuestionOut(many=True)


class DraftBody(TimesBody):
    answers = serializers.DictField()


class DraftOut(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    answers = serializers.DictField()
    active_ms = serializers.IntegerField()
    idle_ms = serializers.IntegerField()
    updated_at = serializers.DateTimeField(allow_null=True)


class AnchorBody(StrictSerializer):
    level = serializers.ChoiceField(["task", "step", "token"])
    segment = serializers.UUIDField(required=False)
    start = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    end = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    quote = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=100_000
    )


class CommentBody(StrictSerializer):
    task = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    episode = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=2**63 - 1
    )
    anchor = AnchorBody()
    body = serializers.CharField(max_length=10_000)
    parent = serializers.IntegerField(  # type: ignore[assignment]
        required=False, allow_null=True, min_value=1, max_value=2**63 - 1
    )


class MemberOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()


class CommentOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    project = serializers.IntegerField()
    task = serializers.IntegerField()
    episode = serializers.IntegerField(allow_null=True)
    anchor = serializers.DictField()
    body = serializers.CharField()
    author = MemberOut()
    mentions = MemberOut(many=True)
    created_at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)
    resolved_by = MemberOut(allow_null=True)
    can_resolve = serializers.BooleanField()
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]


class MentionsOut(serializers.Serializer[Any]):
    results = CommentOut(many=True)
