"""/projects/{id}/members"""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import person_named, signed_in
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import validated
from stet.projects import services
from stet.projects.api.serializers import (
    MemberChangeSerializer,
    MemberInSerializer,
    MemberSerializer,
    member_data,
)
from stet.projects.selectors import access_project, member_list


class MembersView(APIView):
    @extend_schema(
        operation_id="member_list",
        parameters=PARAMETERS,
        responses=paged("Member", MemberSerializer),
    )
    def get(self, request: Request, pk: int) -> Response:
        project = access_project(signed_in(request), pk)
        return Response(page(request, member_list(project), member_data))

    @extend_schema(request=MemberInSerializer, responses={201: MemberSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Let a person in, by sign-in name."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        fields = validated(MemberInSerializer, request.data)

        def effect() -> tuple[int, dict[str, object]]:
            user = person_named(fields["username"])
            role = Role(fields["role"])
            return 201, member_data(services.member_add(project=project, user=user, role=role))

        return idempotent(request, effect, required=False)


class MemberView(APIView):
    @extend_schema(request=MemberChangeSerializer, responses=MemberSerializer)
    def patch(self, request: Request, pk: int, user_id: int) -> Response:
        """Another role from now on."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        role = Role(validated(MemberChangeSerializer, request.data)["role"])
        return Response(
            member_data(services.member_change(project=project, user_id=user_id, role=role))
        )

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int, user_id: int) -> Response:
        """End the membership; what the person did stays."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        services.member_end(project=project, user_id=user_id)
        return Response(status=204)
