"""/projects"""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.conditional import etag, if_match
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import validated
from stet.projects import services
from stet.projects.api.serializers import (
    ProjectChangeSerializer,
    ProjectInSerializer,
    ProjectSerializer,
    project_data,
)
from stet.projects.selectors import access_membership, access_project, membership_list

IF_MATCH = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=True, description="the ETag"
)


class ProjectsView(APIView):
    @extend_schema(
        operation_id="project_list",
        parameters=PARAMETERS,
        responses=paged("Project", ProjectSerializer),
    )
    def get(self, request: Request) -> Response:
        """The projects of which one is a member."""
        rows = membership_list(signed_in(request))
        return Response(page(request, rows, lambda mine: project_data(mine.project, mine.role)))

    @extend_schema(request=ProjectInSerializer, responses={201: ProjectSerializer})
    def post(self, request: Request) -> Response:
        """Make a project and become its owner."""
        user = signed_in(request)
        fields = validated(ProjectInSerializer, request.data)

        def effect() -> tuple[int, dict[str, object]]:
            project = services.project_create(user=user, **fields)
            return 201, project_data(project, Role.OWNER)

        return idempotent(request, effect, required=False)


class ProjectView(APIView):
    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, pk: int) -> Response:
        mine = access_membership(signed_in(request), pk)
        project = mine.project
        return Response(project_data(project, mine.role), headers=etag(project.version))

    @extend_schema(
        parameters=[IF_MATCH], request=ProjectChangeSerializer, responses=ProjectSerializer
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change the project; `settings` are merged switch by switch."""
        access_project(signed_in(request), pk, Role.OWNER)
        version = if_match(request)
        fields = validated(ProjectChangeSerializer, request.data)
        project = services.project_change(project_id=pk, if_version=version, **fields)
        return Response(project_data(project, Role.OWNER), headers=etag(project.version))
