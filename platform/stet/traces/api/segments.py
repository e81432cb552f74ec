"""Segments over REST: the candidates of their positions, immutable once the segment is."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.common.errors import NotFound
from stet.traces import candidates, documents, selectors
from stet.traces.api import schemas
from stet.traces.api.schemas import integer
from stet.traces.models import Origin
from stet.traces.rows import segment_rows

PACKED = "application/octet-stream"
FOREVER = "private, max-age=31536000, immutable"


class AnyAccept(BaseContentNegotiation):
    """The view itself reads Accept: packed or JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0] if parsers else None

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> Any:
        return renderers[0], renderers[0].media_type


class SegmentCandidates(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        parameters=[
            OpenApiParameter("from", OpenApiTypes.INT, description="first index, else 0"),
            OpenApiParameter("to", OpenApiTypes.INT, description="behind the last index"),
        ],
        responses={(200, "application/json"): schemas.CandidatesOut, (200, PACKED): bytes},
    )
    def get(self, request: Request, pk: UUID) -> HttpResponse | Response:
        """Candidates of [from, to): JSON, or packed for ``Accept: application/octet-stream``."""
        segment, generation, live = candidates.access_segment(request.user, pk)
        start = integer(request.query_params.get("from"), "from", 0) or 0
        end = integer(request.query_params.get("to"), "to", None)
        start, end = candidates.window(segment, start, end)
        headers = {"Cache-Control": "no-store" if live else FOREVER, "Vary": "Accept, Cookie"}
        source = generation if live else None
        if PACKED in request.headers.get("Accept", ""):
            if segment.origin != Origin.MODEL:
                raise NotFound(_("Only a sampled segment has candidates of its own."))
            packed = candidates.as_bytes(segment, source, start, end)
            return HttpResponse(packed, content_type=PACKED, headers=headers)
        return Response(candidates.as_rows(segment, source, start, end), headers=headers)


class SegmentRows(APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("from", OpenApiTypes.INT, description="first index, else 0"),
            OpenApiParameter("to", OpenApiTypes.INT, description="behind the last index"),
        ],
        responses=schemas.RowsOut,
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """Tokens [from, to) of a stored or live segment: [id, text, log-probability, hex?]."""
        segment, _generation, live = candidates.access_segment(request.user, pk)
        start = integer(request.query_params.get("from"), "from", 0) or 0
        end = integer(request.query_params.get("to"), "to", None)
        start, end = candidates.window(segment, start, end)
        body = {"segment": str(pk), "from": start, "to": end}
        rows = segment_rows(segment, start, end)
        spans = [documents.span_document(span) for span in selectors.spans_in(segment)]
        headers = {"Cache-Control": "no-store" if live else FOREVER}
        return Response(
            {**body, "length": segment.length, "rows": rows, "spans": spans}, headers=headers
        )
