"""How errors and JSON cross the border: problem documents, strict parsing, one middleware."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import IO, Any

import orjson
from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import exceptions as drf
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from stet.common.errors import Invalid, NotFound, StetError, Unavailable
from stet.common.plain import flaw
from stet.common.serializers import invalid

MAX_JSON = 8 * 1024 * 1024


class BadJson(StetError):
    code, status, title = "bad_json", 400, gettext_lazy("The body is not valid JSON")


class BodyTooLarge(StetError):
    code, status, title = "too_large", 413, gettext_lazy("The body is too large")


def loads(data: bytes) -> Any:
    """Parse strict JSON: no NaN, no Infinity, no lone surrogate, no NUL, no bottomless nesting."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadJson(
            _("The body is not valid JSON: %(fault)s. Nothing was changed.") % {"fault": error}
        ) from None
    reason = flaw(value)
    if reason:
        raise Invalid(
            _("%(fault)s. Nothing was changed.") % {"fault": reason[:1].upper() + reason[1:]},
            code="bad_text",
        )
    return value


def finite(value: float | None) -> float | None:
    """A number as JSON can hold it: NaN and the infinities become null."""
    return value if value is not None and math.isfinite(value) else None


class StrictJSONParser(BaseParser):
    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        data = stream.read(MAX_JSON + 1)
        if len(data) > MAX_JSON:
            raise BodyTooLarge(
                _("A JSON body may have %(size)d MB. Nothing was changed.")
                % {"size": MAX_JSON // 2**20}
            )
        return loads(data)


class OrjsonRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else orjson.dumps(data, default=str)


def as_stet_error(error: BaseException) -> StetError | None:
    """The member of the family that an exception of Django, DRF or the database stands for."""
    if isinstance(error, StetError):
        return error
    if isinstance(error, Http404):
        return NotFound()
    if isinstance(error, OperationalError | InterfaceError):
        return Unavailable(
            _(
                "The database does not answer at the moment. Nothing of this request was kept; "
                "send it again with the same key."
            ),
            code="database_unavailable",
            headers={"Retry-After": "2"},
        )
    if isinstance(error, DataError):
        return Invalid(
            _("A value does not fit where it should be stored or looked up. Nothing was changed."),
            code="bad_value",
        )
    if isinstance(error, RequestDataTooBig | TooManyFieldsSent):
        return BodyTooLarge(str(error))
    if isinstance(error, PermissionDenied):
        return StetError(str(error), code="forbidden", status=403)
    if isinstance(error, SuspiciousOperation):
        return StetError()
    if isinstance(error, drf.ValidationError):
        return invalid(error.detail)
    if isinstance(error, drf.APIException):
        codes = {400: "bad_request", 401: "not_authenticated", 403: "forbidden", 404: "not_found"}
        code = codes.get(error.status_code, str(error.default_code))
        return StetError(
            str(error.detail),
            code=code,
            status=error.status_code,
            headers={
                "WWW-Authenticate": str(getattr(error, "auth_header", "")),
            }
            if getattr(error, "auth_header", "")
            else {},
        )
    return None


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's hook: every known error becomes a problem document."""
    known = as_stet_error(error)
    if known is None:
        return None
    return Response(
        known.problem(),
        status=known.status,
        headers=known.headers,
        content_type="application/problem+json",
    )


def problem_response(error: StetError) -> HttpResponse:
    """The problem document outside DRF."""
    return HttpResponse(
        orjson.dumps(error.problem(), default=str),
        status=error.status,
        headers=error.headers,
        content_type="application/problem+json",
    )


def wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/") or "json" in request.headers.get("Accept", "")


class StetErrorMiddleware(MiddlewareMixin):
    """Pages and plain views: an error of the family becomes a page or a problem document."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        known = as_stet_error(error)
        if known is None or isinstance(error, Http404) and not wants_json(request):
            return None
        if wants_json(request):
            return problem_response(known)
        return render(request, "_error.html", {"error": known}, status=known.status)


def site(request: HttpRequest) -> dict[str, Any]:
    """What every template may need."""
    return {"THEME": request.COOKIES.get("theme", "")}
