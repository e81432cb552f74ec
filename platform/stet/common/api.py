"""Health of the installation: for a supervisor, and for the strip at the top of the pages."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from stet.common.health import database_state, parts_state


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Pages can be answered: 200, or 503 naming what is missing."""
    database = database_state()
    return JsonResponse({"database": database}, status=200 if database == "up" else 503)


@never_cache
@require_safe
def status(request: HttpRequest) -> JsonResponse:
    """Which parts answer; the page says it in words."""
    parts = parts_state()
    return JsonResponse(parts, status=200 if parts["database"] == "up" else 503)
