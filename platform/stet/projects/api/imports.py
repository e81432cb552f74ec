"""/projects/{id}/imports and /jobs/{id}"""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import NotFound
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import validated
from stet.projects.api.serializers import JobSerializer
from stet.projects.import_form import ImportInSerializer, import_begin
from stet.projects.job_view import job_data
from stet.projects.selectors import access_job, access_project, job_list
from stet.projects.services.imports import TASKS, TRACES, errors_path


class ImportsView(APIView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="import_list", parameters=PARAMETERS, responses=paged("Job", JobSerializer)
    )
    def get(self, request: Request, pk: int) -> Response:
        """The imports of the project, the newest first."""
        project = access_project(signed_in(request), pk, Role.RESEARCHER)
        rows = job_list(project, TASKS, TRACES)
        return Response(page(request, rows, job_data, newest_first=True))

    @extend_schema(
        request={"multipart/form-data": ImportInSerializer}, responses={202: JobSerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Upload a file of up to 200 MB; a job reads it, in batches."""
        user = signed_in(request)
        project = access_project(user, pk, Role.RESEARCHER)
        fields = validated(ImportInSerializer, request.data)

        def effect() -> tuple[int, dict[str, Any]]:
            return 202, job_data(import_begin(project=project, user=user, **fields))

        return idempotent(request, effect, required=False)


class JobView(APIView):
    @extend_schema(responses=JobSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """How far the job is, its counts, and why it failed."""
        return Response(job_data(access_job(signed_in(request), pk)))


class JobErrorsView(APIView):
    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request, pk: int) -> FileResponse:
        """One line per bad line: its number, a code, the reason."""
        job = access_job(signed_in(request), pk)
        if "upload" not in job.params or not errors_path(job).exists():
            raise NotFound(_("This job has no report of lines."))
        return FileResponse(
            errors_path(job).open("rb"),
            as_attachment=True,
            filename=f"job-{job.pk}-errors.jsonl",
            content_type="application/x-ndjson",
        )
