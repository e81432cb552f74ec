"""/projects/{id}/guidelines"""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import validated
from stet.projects import services
from stet.projects.api.serializers import (
    GuidelineInSerializer,
    GuidelineSerializer,
    guideline_data,
)
from stet.projects.models import Guideline
from stet.projects.selectors import access_project


class GuidelinesView(APIView):
    @extend_schema(
        operation_id="guideline_list",
        parameters=PARAMETERS,
        responses=paged("Guideline", GuidelineSerializer),
    )
    def get(self, request: Request, pk: int) -> Response:
        """All versions, the newest first."""
        project = access_project(signed_in(request), pk)
        rows = Guideline.objects.filter(project=project)
        return Response(page(request, rows, guideline_data, newest_first=True))

    @extend_schema(request=GuidelineInSerializer, responses={201: GuidelineSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """A further version; older ones stay."""
        user = signed_in(request)
        project = access_project(user, pk, Role.OWNER)
        text = validated(GuidelineInSerializer, request.data)["text"]

        def effect() -> tuple[int, dict[str, object]]:
            row = services.guideline_create(project=project, user=user, text=text)
            return 201, guideline_data(row)

        return idempotent(request, effect, required=False)
