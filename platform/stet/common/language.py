"""The language of whoever asks, also where no middleware looks: sockets and bare ASGI."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest, parse_cookie
from django.utils.translation import get_language_from_request


def language_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """As for a page: the language's cookie, else what the browser accepts, else the site's own."""
    named = {name.lower(): value.decode("latin-1") for name, value in headers}
    request = HttpRequest()
    request.COOKIES = parse_cookie(named.get(b"cookie", ""))
    request.META["HTTP_ACCEPT_LANGUAGE"] = named.get(b"accept-language", "")
    return get_language_from_request(request)
