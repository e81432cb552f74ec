"""What the interface takes and gives, for checking and for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from stet.common.errors import Invalid
from stet.common.serializers import StrictSerializer


class IfHead(StrictSerializer):
    if_head = serializers.IntegerField(min_value=0, help_text="the episode's version as seen")


class ContinueBody(IfHead):
    sampling = serializers.DictField(required=False)
    policy = serializers.IntegerField(required=False)


class BeginBody(StrictSerializer):
    policy = serializers.IntegerField(required=False)
    sampling = serializers.DictField(required=False)


class ChoiceBody(StrictSerializer):
    candidate = serializers.IntegerField(required=False, min_value=-(2**31), max_value=2**31 - 1)
    text = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=100_000
    )
    end = serializers.BooleanField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1 or attrs.get("end") is False:
            raise serializers.ValidationError(
                _("Give exactly one of candidate (a token id), text, or end (true).")
            )
        return attrs


class SeenBody(StrictSerializer):
    upto = serializers.IntegerField(min_value=0)
    digest = serializers.RegexField(r"^[0-9a-f]{64}$")
    heat = serializers.BooleanField(default=False)
    candidates_before_locate = serializers.BooleanField(default=False)
    lookahead = serializers.BooleanField(default=False)


class LookaheadBody(StrictSerializer):
    segment = serializers.UUIDField()
    index = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    candidates = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), min_length=1, max_length=3
    )
    length = serializers.IntegerField(default=4, min_value=1, max_value=16)


class ClaimBody(StrictSerializer):
    generation = serializers.UUIDField()
    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        allow_empty=True,
        max_length=16,
        help_text="the ids of it that were shown; none takes nothing of it",
    )


class CorrectionBody(IfHead):
    segment = serializers.UUIDField()
    index = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    choice = ChoiceBody()
    reason = serializers.CharField(required=False, allow_blank=True, max_length=120)
    seen = SeenBody(required=False)
    active_ms = serializers.IntegerField(required=False, min_value=0, max_value=86_400_000)
    lookahead = ClaimBody(required=False)

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "continue": serializers.BooleanField(default=True)}


class ReasonBody(StrictSerializer):
    reason = serializers.CharField(max_length=120)


class HeadBody(IfHead):
    segment = serializers.UUIDField()
    length = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    how = serializers.ChoiceField(["undo", "redo", "move"], default="move")


class TurnMessage(StrictSerializer):
    role = serializers.ChoiceField(["user", "tool"])
    content = serializers.CharField(trim_whitespace=False, allow_blank=True, max_length=1_000_000)
    tool_call_id = serializers.CharField(required=False, max_length=200)
    name = serializers.CharField(required=False, max_length=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["role"] == "user" and not attrs["content"]:
            raise serializers.ValidationError({"content": _("A user's turn needs a text.")})
        return attrs


class TurnBody(IfHead):
    messages = TurnMessage(many=True, allow_empty=False)


class PreviewBody(StrictSerializer):
    segment = serializers.UUIDField()
    index = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    text = serializers.CharField(trim_whitespace=False, allow_blank=True, max_length=100_000)


class EmptyBody(StrictSerializer):
    pass


class HeadOut(serializers.Serializer[Any]):
    segment = serializers.UUIDField()
    length = serializers.IntegerField(allow_null=True)


class GenerationOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    segment = serializers.UUIDField()
    parent = serializers.UUIDField(allow_null=True)  # type: ignore[assignment]
    fork_at = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField()
    status = serializers.CharField()
    sampling = serializers.DictField()
    finish_reason = serializers.CharField()
    stop_reason = serializers.JSONField(allow_null=True)
    error = serializers.JSONField(allow_null=True)
    n_tokens = serializers.IntegerField()
    candidate = serializers.IntegerField(
        allow_null=True, help_text="of a look-ahead: the token that it continues"
    )
    created_at = serializers.DateTimeField()


class EpisodeSummaryOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    task = serializers.JSONField()
    version = serializers.IntegerField()
    status = serializers.CharField()
    head = HeadOut()
    generation = GenerationOut(allow_null=True)
    undo = HeadOut(allow_null=True)
    redo = HeadOut(allow_null=True)


class EpisodeOut(EpisodeSummaryOut):
    project = serializers.IntegerField()
    author = serializers.IntegerField()
    policy = serializers.DictField(allow_null=True)
    sampling = serializers.DictField()
    root = serializers.UUIDField()  # type: ignore[assignment]
    segments = serializers.ListField(child=serializers.DictField())
    generations = GenerationOut(many=True)
    corrections = serializers.ListField(child=serializers.DictField())


class PathOut(serializers.Serializer[Any]):
    episode = serializers.IntegerField()
    version = serializers.IntegerField()
    segment = serializers.UUIDField()
    length = serializers.IntegerField()
    token_ids = serializers.ListField(child=serializers.IntegerField())
    bytes = serializers.CharField(help_text="base64")
    text = serializers.CharField()
    origins = serializers.ListField(child=serializers.IntegerField())
    logprobs = serializers.ListField(child=serializers.FloatField(allow_null=True))
    spans = serializers.ListField(child=serializers.DictField())


class ContinueOut(serializers.Serializer[Any]):
    episode = EpisodeSummaryOut()
    generation = GenerationOut()
    segment = serializers.UUIDField()


class CorrectionOut(serializers.Serializer[Any]):
    correction = serializers.DictField()
    episode = EpisodeSummaryOut()
    generation = GenerationOut(allow_null=True)
    lookahead = HeadOut(allow_null=True, help_text="the segment of the look-ahead that was taken")


class LookaheadOut(serializers.Serializer[Any]):
    generations = GenerationOut(many=True)
    skipped = serializers.ChoiceField(["off", "busy"], allow_null=True)


class LookaheadCostOut(serializers.Serializer[Any]):
    generations = serializers.IntegerField()
    tokens = serializers.IntegerField()
    taken = serializers.IntegerField()
    taken_tokens = serializers.IntegerField()


class StoppingOut(serializers.Serializer[Any]):
    stopping = serializers.IntegerField()


class EpisodeActOut(serializers.Serializer[Any]):
    episode = EpisodeSummaryOut()


class TicketOut(serializers.Serializer[Any]):
    ticket = serializers.CharField()


class PreviewOut(serializers.Serializer[Any]):
    ids = serializers.ListField(child=serializers.IntegerField())
    rows = serializers.ListField(child=serializers.ListField())
    canonical = serializers.BooleanField()
    position = serializers.IntegerField()


class RowsOut(serializers.Serializer[Any]):
    segment = serializers.UUIDField()
    to = serializers.IntegerField()
    length = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.ListField())
    spans = serializers.ListField(child=serializers.DictField())

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "from": serializers.IntegerField()}


class CandidatesOut(serializers.Serializer[Any]):
    segment = serializers.UUIDField()
    k = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.DictField())


def integer(text: str | None, name: str, default: int | None) -> int | None:
    """A whole number of the query string."""
    if text is None or text == "":
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(_("%(name)s is a whole number.") % {"name": name}, code="bad_range")
    return int(text)
