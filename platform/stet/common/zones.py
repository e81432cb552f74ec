"""The time zone of the reader: the one that the browser says, else that of the installation."""

from __future__ import annotations

import zoneinfo
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

COOKIE = "timezone"


class TimeZoneMiddleware(MiddlewareMixin):
    """ "Today" and every time on a page are meant where the reader is."""

    def process_request(self, request: HttpRequest) -> None:
        name = request.COOKIES.get(COOKIE, "")
        if name in known():
            timezone.activate(name)
        else:
            timezone.deactivate()

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        timezone.deactivate()
        return response


@cache
def known() -> frozenset[str]:
    """The zones that there are here."""
    return frozenset(zoneinfo.available_timezones())
