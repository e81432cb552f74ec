"""/projects/{id}/traces: conversations from elsewhere become episodes."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import Invalid, StetError
from stet.common.http import BodyTooLarge
from stet.common.idempotency import idempotent
from stet.common.serializers import validated
from stet.policies.selectors import model_folder
from stet.projects.api.serializers import JobSerializer, LineErrorSerializer
from stet.projects.import_form import ImportInSerializer, import_begin
from stet.projects.job_view import job_data
from stet.projects.selectors import access_project
from stet.traces.foreign_file import trace_rows
from stet.traces.services import foreign_add

MAX_BODY = 4 * 2**20


class Raw(dict[str, bytes]):
    """The body as it came; the format's own reader parses it."""


class RawParser(BaseParser):
    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Raw:
        data: bytes = stream.read(MAX_BODY + 1)
        if len(data) > MAX_BODY:
            raise BodyTooLarge(
                _("At most %(size)d MB at once; upload a file instead.")
                % {"size": MAX_BODY // 2**20}
            )
        return Raw(body=data)


class RawLinesParser(RawParser):
    media_type = "application/x-ndjson"


class TracesAddedSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField()
    same = serializers.IntegerField()
    failed = serializers.IntegerField()
    episodes = serializers.DictField(child=serializers.IntegerField())
    errors = LineErrorSerializer(many=True)  # type: ignore[assignment]


class TracesView(APIView):
    parser_classes = [RawParser, RawLinesParser, MultiPartParser]

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "format",
                OpenApiTypes.STR,
                description="openai-messages, panda, plain-chat; left out: found by looking",
            )
        ],
        request={
            "application/json": OpenApiTypes.ANY,
            "application/x-ndjson": OpenApiTypes.STR,
            "multipart/form-data": ImportInSerializer,
        },
        responses={200: TracesAddedSerializer, 202: JobSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Traces of any known format, as a body of up to 4 MB or as an upload that a job reads.

        Each becomes an episode of foreign tokens; the same trace again adds nothing.
        """
        user = signed_in(request)
        project = access_project(user, pk, Role.RESEARCHER)
        data = request.data
        if isinstance(data, QueryDict):
            fields = validated(ImportInSerializer, {**data.dict(), "kind": "traces"})

            def upload() -> tuple[int, dict[str, Any]]:
                return 202, job_data(import_begin(project=project, user=user, **fields))

            return idempotent(request, upload, required=False)
        kind = request.query_params.get("format", "auto")
        body = data["body"] if isinstance(data, Raw) else b""

        def add() -> tuple[int, dict[str, Any]]:
            rows = list(trace_rows(BytesIO(body), kind))
            if not rows:
                raise Invalid(_("The body holds no traces. Nothing was added."), code="empty_file")
            good = [(row.number, row.value) for row in rows if not isinstance(row.value, StetError)]
            bad = [(row.number, row.value) for row in rows if isinstance(row.value, StetError)]
            outcome = foreign_add(
                project=project, author=user, items=good, folder=model_folder(project.pk)
            )
            bad = sorted([*bad, *outcome.errors], key=lambda each: each[0])
            return 200, {
                "added": outcome.added,
                "same": outcome.same,
                "failed": len(bad),
                "episodes": {str(number): episode for number, episode in outcome.episodes.items()},
                "errors": [{"line": n, "code": e.code, "detail": e.detail} for n, e in bad],
            }

        return idempotent(request, add, required=False)
