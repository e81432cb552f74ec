"""/signals: what programs and people say of spans, and what people decide about it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import services
from annotate.documents import signal_document
from annotate.models import Review
from annotate.selectors.signals import access_signal, signal_list
from annotate.signal_rows import body_rows, signals_take
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import Invalid
from stet.common.http import StrictJSONParser
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged, whole_number
from stet.common.serializers import StrictSerializer, validated
from stet.projects.api.serializers import LineErrorSerializer
from stet.projects.selectors import access_project
from stet.traces.api.imports import Raw, RawLinesParser
from stet.traces.kinds import Kind

FILTERS = ("source", "version", "kind")


class AtSerializer(StrictSerializer):
    """Where: one of ``step``, ``call``, ``message`` by number, or positions of a segment's path;
    nothing means the whole episode."""

    step = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    call = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    message = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    start = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    end = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    segment = serializers.UUIDField(required=False)


class SignalIn(StrictSerializer):
    episode = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    external_id = serializers.CharField(required=False, max_length=200)
    at = AtSerializer(required=False)
    kind = serializers.ChoiceField(choices=[kind.value for kind in Kind])
    value = serializers.JSONField()
    source = serializers.CharField(max_length=80)  # type: ignore[assignment]
    version = serializers.CharField(max_length=40)
    key = serializers.CharField(required=False, max_length=80, allow_blank=True)
    evidence = serializers.DictField(required=False)


class SignalsBody(StrictSerializer):
    project = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    signals = serializers.ListField(child=serializers.DictField(), min_length=1)


class SignalsAdded(serializers.Serializer[Any]):
    added = serializers.IntegerField()
    same = serializers.IntegerField()
    failed = serializers.IntegerField()
    signals = serializers.DictField(child=serializers.IntegerField())
    errors = LineErrorSerializer(many=True)  # type: ignore[assignment]


class ReviewBody(StrictSerializer):
    decision = serializers.ChoiceField(choices=Review.Decision.values)
    value = serializers.JSONField(required=False)
    comment = serializers.CharField(required=False, max_length=10_000, allow_blank=True)
    own_first = serializers.BooleanField(required=False)
    active_ms = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)


class SignalOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    project = serializers.IntegerField()
    episode = serializers.IntegerField()
    span = serializers.DictField()
    kind = serializers.CharField()
    value = serializers.JSONField()
    evidence = serializers.DictField()
    source = serializers.CharField()  # type: ignore[assignment]
    version = serializers.CharField()
    key = serializers.CharField()
    author = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    review = serializers.DictField(allow_null=True)


class SignalsView(APIView):
    parser_classes = [StrictJSONParser, RawLinesParser]

    @extend_schema(
        operation_id="signal_list",
        parameters=[
            *PARAMETERS,
            OpenApiParameter("project", OpenApiTypes.INT),
            OpenApiParameter("episode", OpenApiTypes.INT),
            OpenApiParameter("source", OpenApiTypes.STR),
            OpenApiParameter("version", OpenApiTypes.STR),
            OpenApiParameter("kind", OpenApiTypes.STR),
            OpenApiParameter("level", OpenApiTypes.STR),
            OpenApiParameter(
                "review", OpenApiTypes.STR, description="none, accept, reject or amend"
            ),
        ],
        responses=paged("Signal", SignalOut),
    )
    def get(self, request: Request) -> Response:
        """Signals of the projects in which I review, oldest first."""
        user = signed_in(request)
        query = request.query_params
        project = query.get("project")
        decided = query.get("review")
        rows = signal_list(user, whole_number("project", project) if project else None, decided)
        if "episode" in query:
            rows = rows.filter(episode=whole_number("episode", query["episode"]))
        rows = rows.filter(**{name: query[name] for name in FILTERS if name in query})
        if "level" in query:
            rows = rows.filter(span__level=query["level"])
        return Response(page(request, rows, signal_document))

    @extend_schema(
        parameters=[
            OpenApiParameter("project", OpenApiTypes.INT, description="with a body of lines")
        ],
        request={"application/json": SignalsBody, "application/x-ndjson": OpenApiTypes.STR},
        responses={200: SignalsAdded},
    )
    def post(self, request: Request) -> Response:
        """What a program says of episodes, in bulk: every good one is kept, every bad one is told
        by its number, the same again adds nothing."""
        user = signed_in(request)
        data = request.data
        if isinstance(data, Raw):
            number = whole_number("project", request.query_params.get("project", ""))
            rows = body_rows(data["body"])
        else:
            body = validated(SignalsBody, data)
            number, rows = body["project"], list(enumerate(body["signals"], 1))
        project = access_project(user, number, Role.REVIEWER)
        if not rows:
            raise Invalid(_("The body holds no signals. Nothing was added."), code="empty_file")

        def effect() -> tuple[int, dict[str, Any]]:
            outcome = signals_take(project, user, rows, SignalIn)
            errors = sorted(outcome.errors, key=lambda each: each[0])
            return 200, {
                "added": outcome.added,
                "same": outcome.same,
                "failed": len(errors),
                "signals": {str(line): pk for line, pk in outcome.signals.items()},
                "errors": [{"line": n, "code": e.code, "detail": e.detail} for n, e in errors],
            }

        return idempotent(request, effect, required=False)


class SignalReviews(APIView):
    @extend_schema(request=ReviewBody, responses={201: SignalOut})
    def post(self, request: Request, pk: int) -> Response:
        """Accept a signal, reject it, or say with `value` what it should have said."""
        user = signed_in(request)
        body = validated(ReviewBody, request.data)
        access_signal(user, pk)

        def effect() -> tuple[int, dict[str, Any]]:
            services.signal_review(user=user, signal_id=pk, **body)
            return 201, signal_document(access_signal(user, pk))

        return idempotent(request, effect)
