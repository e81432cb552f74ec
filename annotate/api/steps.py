"""/episodes/{id}/steps: any episode as its steps, heads in pages and each one whole."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.outline import step_head, step_whole, steps_found
from stet.accounts.selectors import signed_in
from stet.common.errors import NotFound
from stet.common.serializers import StrictSerializer, validated
from stet.traces.places import located
from stet.traces.selectors import access_episode


class StepsQuery(StrictSerializer):
    after = serializers.IntegerField(required=False, min_value=-1, max_value=2**31 - 1, default=-1)
    limit = serializers.IntegerField(required=False, min_value=1, max_value=500, default=200)
    q = serializers.CharField(
        required=False, max_length=200, default="", allow_blank=True, trim_whitespace=False
    )


class StepsOut(serializers.Serializer[Any]):
    count = serializers.IntegerField(help_text="of all that were found")
    results = serializers.ListField(child=serializers.DictField())
    next = serializers.CharField(allow_null=True)


class EpisodeSteps(APIView):
    @extend_schema(
        operation_id="episode_steps",
        parameters=[
            OpenApiParameter("after", OpenApiTypes.INT, description="the step before the first"),
            OpenApiParameter("limit", OpenApiTypes.INT, description="1 to 500, 200 if not said"),
            OpenApiParameter("q", OpenApiTypes.STR, description="a text that stands in the step"),
        ],
        responses=StepsOut,
    )
    def get(self, request: Request, pk: int) -> Response:
        """The steps of an episode in pages: of each text, argument and result its head and size."""
        run = located(access_episode(signed_in(request), pk)).run
        asked = validated(StepsQuery, request.query_params.dict())
        found = steps_found(run, asked["q"])
        left = [step for step in found if step.ordinal > asked["after"]]
        shown = left[: asked["limit"]]
        more = {**asked, "after": shown[-1].ordinal} if len(left) > len(shown) else None
        url = f"{request.path}?{urlencode(more)}" if more else None
        return Response(
            {
                "count": len(found),
                "results": [step_head(step) for step in shown],
                "next": request.build_absolute_uri(url) if url else None,
            }
        )


class EpisodeStep(APIView):
    @extend_schema(operation_id="episode_step", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int, number: int) -> Response:
        """One step with everything that it holds."""
        steps = located(access_episode(signed_in(request), pk)).run.steps
        if number >= len(steps):
            raise NotFound(_("This episode has no such step."))
        return Response(step_whole(steps[number]))
