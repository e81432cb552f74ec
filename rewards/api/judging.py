"""Asking programs to judge."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rewards.jobs import KIND
from rewards.registry import sources
from rewards.services import source_named
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.idempotency import idempotent
from stet.common.jobs import job_create
from stet.common.serializers import StrictSerializer, validated
from stet.projects.api.serializers import JobSerializer
from stet.projects.job_view import job_data
from stet.projects.selectors import access_project
from stet.traces.selectors import access_episode


class SourceOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    version = serializers.CharField()
    about = serializers.CharField()


class SourcesOut(serializers.Serializer[Any]):
    results = SourceOut(many=True)


class DiagnoseBody(StrictSerializer):
    source = serializers.CharField(  # type: ignore[assignment]
        required=False, max_length=80, help_text="left out: every source of this installation"
    )


class SourcesView(APIView):
    @extend_schema(operation_id="source_list", responses=SourcesOut)
    def get(self, request: Request) -> Response:
        """The sources of signals that this installation has."""
        signed_in(request)
        rows = [
            {"name": each.name, "version": each.version, "about": each.about}
            for each in sources().values()
        ]
        return Response({"results": rows})


class EpisodeDiagnose(APIView):
    @extend_schema(request=DiagnoseBody, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Let a source, or all of them, judge an episode in the background."""
        user = signed_in(request)
        body = validated(DiagnoseBody, request.data or {})
        episode = access_episode(user, pk)
        project = access_project(user, episode.task.project_id, Role.REVIEWER)
        names = [source_named(body["source"]).name] if "source" in body else []

        def effect() -> tuple[int, dict[str, Any]]:
            params = {"episodes": [episode.pk], "sources": names}
            job = job_create(kind=KIND, params=params, user=user, project_id=project.pk)
            return 202, job_data(job)

        return idempotent(request, effect, required=False)
