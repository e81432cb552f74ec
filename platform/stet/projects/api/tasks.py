"""/projects/{id}/tasks and /tasks/{id}"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import Invalid, StetError
from stet.common.http import BodyTooLarge, StrictJSONParser
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.projects.api.serializers import (
    BulkSerializer,
    TaskFullSerializer,
    TaskInSerializer,
    TaskSerializer,
    task_data,
    task_full_data,
)
from stet.projects.files.json_lines import json_rows
from stet.projects.models import Project
from stet.projects.selectors import access_project, access_task, task_list
from stet.projects.services import task_create, tasks_add
from stet.projects.task_rows import TaskRow, parse_row

MAX_BULK = 16 * 2**20
ON_CONFLICT = OpenApiParameter(
    "on_conflict",
    OpenApiTypes.STR,
    enum=["error", "supersede"],
    description="what an external_id with other content gets: an error, or a task that supersedes",
)


class Lines(dict[str, bytes]):
    """The body of a bulk request, not yet cut into lines."""


class NdjsonParser(BaseParser):
    """The raw lines of a bulk request."""

    media_type = "application/x-ndjson"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Lines:
        data: bytes = stream.read(MAX_BULK + 1)
        if len(data) > MAX_BULK:
            raise BodyTooLarge(
                _("At most %(size)d MB of lines; upload a file to …/imports instead.")
                % {"size": MAX_BULK // 2**20}
            )
        return Lines(body=data)


class TasksView(APIView):
    parser_classes = [StrictJSONParser, NdjsonParser]

    @extend_schema(
        operation_id="task_list",
        parameters=[
            *PARAMETERS,
            OpenApiParameter("retired", OpenApiTypes.BOOL, description="superseded ones too"),
            OpenApiParameter("external_id", OpenApiTypes.STR),
        ],
        responses=paged("Task", TaskSerializer),
    )
    def get(self, request: Request, pk: int) -> Response:
        """The tasks without their messages, oldest first."""
        project = access_project(signed_in(request), pk, Role.REVIEWER)
        retired = request.query_params.get("retired", "") in ("1", "true")
        rows = task_list(project, retired=retired)
        if "external_id" in request.query_params:
            rows = rows.filter(external_id=request.query_params["external_id"])
        return Response(page(request, rows, task_data))

    @extend_schema(
        parameters=[ON_CONFLICT],
        request={"application/json": TaskInSerializer, "application/x-ndjson": OpenApiTypes.STR},
        responses={201: TaskFullSerializer, 200: BulkSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """One task as JSON, or many as NDJSON: every good line is kept, every bad one reported.

        The same row again adds nothing.
        """
        project = access_project(signed_in(request), pk, Role.RESEARCHER)
        supersede = on_conflict(request.query_params.get("on_conflict", "error")) == "supersede"
        data = request.data

        def effect() -> tuple[int, dict[str, Any]]:
            if isinstance(data, Lines):
                return 200, bulk_add(project, data["body"], supersede=supersede)
            return 201, task_full_data(task_create(project=project, row=data, supersede=supersede))

        return idempotent(request, effect, required=False)


class TaskView(APIView):
    @extend_schema(responses=TaskFullSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The task as it stands; it never changes once somebody worked on it."""
        return Response(task_full_data(access_task(signed_in(request), pk, Role.REVIEWER)))


def on_conflict(value: str) -> str:
    """``error`` or ``supersede``, else Invalid."""
    if value not in ("error", "supersede"):
        raise Invalid(_("on_conflict is “error” or “supersede”."), code="bad_on_conflict")
    return value


def bulk_add(project: Project, data: bytes, *, supersede: bool) -> dict[str, Any]:
    """Add the good lines; the answer counts them and names each bad one."""
    good: list[tuple[int, TaskRow]] = []
    bad: list[tuple[int, StetError]] = []
    for number, value, _size in json_rows(BytesIO(data)):
        try:
            if isinstance(value, StetError):
                raise value
            good.append((number, parse_row(value)))
        except StetError as error:
            bad.append((number, error))
    if not good and not bad:
        raise Invalid(_("The body holds no rows. Nothing was added."), code="empty_file")
    outcome = tasks_add(project=project, rows=good, supersede=supersede)
    bad = sorted([*bad, *outcome.errors], key=lambda each: each[0])
    return {
        "added": outcome.added,
        "same": outcome.same,
        "superseded": outcome.superseded,
        "failed": len(bad),
        "tasks": {str(number): pk for number, pk in outcome.tasks.items()},
        "errors": [{"line": n, "code": e.code, "detail": e.detail} for n, e in bad],
    }
