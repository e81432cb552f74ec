"""/datasets and /export-targets"""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import validated
from stet.projects.selectors import access_project
from training import services
from training.api.filters import PROJECT, of_project
from training.api.serializers import (
    DatasetInSerializer,
    DatasetSerializer,
    ExportInSerializer,
    ExportMadeSerializer,
    TargetSerializer,
)
from training.documents import dataset_data, export_data
from training.selectors import access_dataset, dataset_list
from training.targets.base import targets
from training.writer import arrow_types


class DatasetsView(APIView):
    @extend_schema(
        operation_id="dataset_list",
        parameters=[*PARAMETERS, PROJECT],
        responses=paged("Dataset", DatasetSerializer),
    )
    def get(self, request: Request) -> Response:
        """Datasets of the projects in which one is researcher or owner."""
        rows = of_project(request, dataset_list(signed_in(request)), "project_id")
        return Response(page(request, rows, dataset_data))

    @extend_schema(request=DatasetInSerializer, responses={201: DatasetSerializer})
    def post(self, request: Request) -> Response:
        """Keep a query; without one it holds the latest accepted submission of each episode."""
        user = signed_in(request)
        fields = validated(DatasetInSerializer, request.data)
        project = access_project(user, fields["project"], Role.RESEARCHER)

        def effect() -> tuple[int, dict[str, Any]]:
            dataset = services.dataset_create(
                project=project, user=user, name=fields["name"], query=fields.get("query", {})
            )
            return 201, dataset_data(dataset)

        return idempotent(request, effect, required=False)


class DatasetView(APIView):
    @extend_schema(responses=DatasetSerializer)
    def get(self, request: Request, pk: int) -> Response:
        return Response(dataset_data(access_dataset(signed_in(request), pk)))


class DatasetExportsView(APIView):
    @extend_schema(request=ExportInSerializer, responses={202: ExportMadeSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Freeze the dataset for a target. The files are written in the background."""
        user = signed_in(request)
        dataset = access_dataset(user, pk)
        fields = validated(ExportInSerializer, request.data)

        def effect() -> tuple[int, dict[str, Any]]:
            export = services.export_create(dataset=dataset, user=user, **fields)
            return 202, {"export": export_data(export), "job": export.job_id}

        return idempotent(request, effect, required=False)


class TargetsView(APIView):
    @extend_schema(
        operation_id="export_target_list",
        parameters=[OpenApiParameter("name", OpenApiTypes.STR)],
        responses=TargetSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """The targets with their options and columns."""
        name = request.query_params.get("name")
        return Response(
            [
                {
                    "name": target.name,
                    "version": target.version,
                    "options": {k: list(v) for k, v in target.choices.items()},
                    "columns": arrow_types(target.schema()),
                }
                for target in targets().values()
                if name in (None, target.name)
            ]
        )
