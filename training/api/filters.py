"""Query parameters that several lists share."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from stet.common.pages import whole_number

PROJECT = OpenApiParameter("project", OpenApiTypes.INT)
M = TypeVar("M", bound=Model)


def number(request: Request, name: str) -> int | None:
    """A query parameter that is a positive whole number, or None; raises Invalid."""
    text = request.query_params.get(name, "")
    return whole_number(name, text) if text else None


def of_project(request: Request, rows: QuerySet[M], field: str) -> QuerySet[M]:
    """The rows of the project that ``?project=`` names, all of them without it."""
    project = number(request, "project")
    wanted: dict[str, Any] = {field: project}
    return rows if project is None else rows.filter(**wanted)
