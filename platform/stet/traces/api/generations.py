"""Generations over REST: stop, and the stream as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import orjson
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.common.errors import StetError
from stet.common.http import problem_response
from stet.common.serializers import validated
from stet.traces import documents, selectors, services
from stet.traces.api import schemas
from stet.traces.api.schemas import integer
from stet.traces.streams.threads import in_thread
from stet.traces.streams.watch import watch
from stet.traces.tickets import ticket_create


class GenerationStop(APIView):
    @extend_schema(request=schemas.EmptyBody, responses=schemas.GenerationOut)
    def post(self, request: Request, pk: UUID) -> Response:
        """Stop the stream; what arrived is sealed as a segment. Repeating it changes nothing."""
        validated(schemas.EmptyBody, request.data or {})
        generation = selectors.access_generation(request.user, pk, act=True)
        return Response(documents.generation_document(services.generation_stop(generation)))


class WsTickets(APIView):
    @extend_schema(request=schemas.EmptyBody, responses={201: schemas.TicketOut})
    def post(self, request: Request) -> Response:
        """A ticket for the socket: 30 s, one use."""
        session = request.session.session_key if request.auth is None else ""
        return Response(
            {"ticket": ticket_create(user=request.user, session_key=session or "")}, status=201
        )


class EventsAccess(APIView):
    """Signs a program or a person in for the stream, with the same rules as every other call."""

    def get(self, request: Request, pk: UUID) -> Response:
        generation = selectors.access_generation(request.user, pk)
        return Response({"generation": str(generation.pk)})


async def generation_events(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The messages of the socket about one generation, as server-sent events."""
    check = await in_thread(EventsAccess.as_view(), request, pk=pk)
    if check.status_code != 200:
        await in_thread(check.render)
        return check
    known = request.GET.get("after") or request.headers.get("Last-Event-ID")
    try:
        after = integer(known, "after", 0) or 0
    except StetError as error:
        return problem_response(error)

    async def events() -> AsyncIterator[bytes]:
        yield b": stream\n\n"
        async for frame in watch(pk, after):
            message = orjson.loads(frame)
            yield b"event: %s\nid: %d\ndata: %s\n\n" % (
                message["type"].encode(),
                message["seq"],
                frame,
            )

    response = StreamingHttpResponse(events(), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def describe_events(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Add the stream to the OpenAPI document: it is no view of REST framework's."""
    result["paths"]["/api/v1/generations/{id}/events"] = {
        "get": {
            "operationId": "generations_events_retrieve",
            "description": "The messages of the socket about one generation, as server-sent "
            "events: tokens, end, reset and error, from the ids that the reader already has.",
            "tags": ["generations"],
            "security": [{"token": []}, {"cookieAuth": []}],
            "parameters": [
                {
                    "in": "path",
                    "name": "id",
                    "schema": {"type": "string", "format": "uuid"},
                    "required": True,
                },
                {
                    "in": "query",
                    "name": "after",
                    "schema": {"type": "integer", "minimum": 0},
                    "description": "how many ids the reader has; Last-Event-ID says the same",
                },
            ],
            "responses": {
                "200": {
                    "description": "the stream",
                    "content": {"text/event-stream": {"schema": {"type": "string"}}},
                },
                "404": {"description": "not in your projects"},
            },
        }
    }
    return result
