"""Query parameters that several lists share."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from stet.common.errors import Invalid

PROJECT = OpenApiParameter("project", OpenApiTypes.INT)
M = TypeVar("M", bound=Model)


def number(request: Request, name: str) -> int | None:
    """A query parameter that is a positive whole number, or None; raises Invalid."""
    text = request.query_params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Invalid(_("%(name)s is a whole number.") % {"name": name}, code="bad_filter")
    return int(text)


def of_project(request: Request, rows: QuerySet[M], field: str) -> QuerySet[M]:
    """The rows of the project that ``?project=`` names, all of them without it."""
    project = number(request, "project")
    wanted: dict[str, Any] = {field: project}
    return rows if project is None else rows.filter(**wanted)
