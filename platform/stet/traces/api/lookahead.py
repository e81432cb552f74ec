"""Look-ahead over REST: begin and cancel it, and what it has cost."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.idempotency import idempotent
from stet.common.serializers import validated
from stet.projects.selectors import access_project
from stet.traces import documents, selectors, services
from stet.traces.api import schemas


class EpisodeLookahead(APIView):
    @extend_schema(request=schemas.LookaheadBody, responses={202: schemas.LookaheadOut})
    def post(self, request: Request, pk: int) -> Response:
        """Sample a few tokens behind candidates of a place, at low priority; changes no episode."""
        body = validated(schemas.LookaheadBody, request.data)
        episode = selectors.access_episode(request.user, pk, act=True)

        def effect() -> tuple[int, dict[str, Any]]:
            begun = services.lookahead_begin(
                episode=episode,
                segment_id=body["segment"],
                index=body["index"],
                candidates=body["candidates"],
                length=body["length"],
            )
            found = [documents.generation_document(one) for one in begun.generations]
            return 202, {"generations": found, "skipped": begun.skipped}

        return idempotent(request, effect, required=False)


class EpisodeLookaheadCancel(APIView):
    @extend_schema(request=schemas.EmptyBody, responses={202: schemas.StoppingOut})
    def post(self, request: Request, pk: int) -> Response:
        """Stop the look-aheads of the episode. What has arrived is kept; no answer is stopped."""
        validated(schemas.EmptyBody, request.data or {})
        episode = selectors.access_episode(request.user, pk, act=True)

        def effect() -> tuple[int, dict[str, Any]]:
            return 202, {"stopping": services.lookahead_cancel(episode=episode)}

        return idempotent(request, effect, required=False)


class ProjectLookahead(APIView):
    @extend_schema(responses=schemas.LookaheadCostOut)
    def get(self, request: Request, pk: int) -> Response:
        """Tokens that look-ahead sampled in the project, and those of them that were taken."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        return Response(selectors.lookahead_cost(task__project=project))
