"""Django under ASGI with one thread a request: no hop between threads for each middleware."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_started
from django.db import close_old_connections, reset_queries
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class OneThreadHandler(ASGIHandler):
    """Runs middleware and view of a request in one thread of a pool, synchronously.

    The pool has as many threads as there are database connections, so no request waits for one.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)
        chain: Any = vars(self)["_middleware_chain"]

        def whole(request: HttpRequest) -> HttpResponseBase:
            try:
                response: HttpResponseBase = chain(request)
                return response
            finally:
                close_old_connections()

        pool = ThreadPoolExecutor(settings.REQUEST_THREADS, thread_name_prefix="request")
        self._middleware_chain = sync_to_async(whole, thread_sensitive=False, executor=pool)


def get_http_application() -> OneThreadHandler:
    """Django's own entry point, with the handler above."""
    django.setup(set_prefix=False)
    # Both would cost a further thread for each request, and ``whole`` does their work.
    request_started.disconnect(close_old_connections)
    request_started.disconnect(reset_queries)
    return OneThreadHandler()
