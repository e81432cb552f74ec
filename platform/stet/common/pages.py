"""Lists in pages that follow a key, so that page 1,000 costs what page 1 costs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from stet.common.errors import Invalid

LIMIT, MAX_LIMIT = 50, 200
M = TypeVar("M", bound=Model)

PARAMETERS = [
    OpenApiParameter("limit", OpenApiTypes.INT, description=f"1 to {MAX_LIMIT}; else {LIMIT}"),
    OpenApiParameter("cursor", OpenApiTypes.STR, description="as in the page before's `next`"),
]


def page(
    request: Request,
    queryset: QuerySet[M],
    render: Callable[[M], dict[str, Any]],
    *,
    newest_first: bool = False,
) -> dict[str, Any]:
    """One page by primary key: ``{"results": [...], "next": url or null}``."""
    limit = _limit(request.query_params.get("limit", ""))
    cursor = request.query_params.get("cursor", "")
    if cursor:
        key = _key(queryset, cursor)
        queryset = queryset.filter(**{"pk__lt" if newest_first else "pk__gt": key})
    rows = list(queryset.order_by("-pk" if newest_first else "pk")[: limit + 1])
    following = None
    if len(rows) > limit:
        rows.pop()
        token = base64.urlsafe_b64encode(str(rows[-1].pk).encode()).decode().rstrip("=")
        query = {**request.query_params.dict(), "limit": limit, "cursor": token}
        following = request.build_absolute_uri(f"{request.path}?{urlencode(query)}")
    return {"results": [render(row) for row in rows], "next": following}


def whole_number(name: str, text: str) -> int:
    """A query parameter that is a whole number as a primary key is one; raises Invalid."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Invalid(_("%(name)s is a whole number.") % {"name": name}, code="bad_filter")
    return int(text)


def paged(name: str, child: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    """The serializer of a page of ``child``, for the schema."""
    return inline_serializer(
        f"{name}Page",
        {"results": child(many=True), "next": serializers.URLField(allow_null=True)},
    )


def _limit(text: str) -> int:
    if not text:
        return LIMIT
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MAX_LIMIT):
        raise Invalid(
            _("limit is a whole number from 1 to %(max)d.") % {"max": MAX_LIMIT}, code="bad_limit"
        )
    return int(text)


def _key(queryset: QuerySet[M], cursor: str) -> Any:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        field = queryset.model._meta.pk
        key = field.to_python(text)
        field.run_validators(key)
    except (ValueError, binascii.Error, ValidationError):
        raise Invalid(
            _("This cursor is not one of this list; start again without it."), code="bad_cursor"
        ) from None
    return key
