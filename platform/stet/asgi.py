"""The site under ASGI: pages and API, the socket, static files, and the hub's life."""

from __future__ import annotations

import gc
import os
from collections.abc import Awaitable, Callable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stet.settings")

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.urls import get_resolver, path
from servestatic import ServeStaticASGI

from stet.common.asgi import get_http_application

http = get_http_application()

# These need the registry of apps.
from stet.common.body_limit import BodyLimit  # noqa: E402
from stet.traces.consumers import StreamConsumer  # noqa: E402
from stet.traces.streams.runtime import hub  # noqa: E402

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def lifespan(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Begin the hub with the server, and seal what runs before the server ends."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            settle_memory()
            await hub().start()
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await hub().close()
            await send({"type": "lifespan.shutdown.complete"})
            return


def settle_memory() -> None:
    """Load what requests need, and have the collector never look at it again.

    Otherwise it waits for a quarter of the whole process to become garbage, and then stops every
    stream while it looks through all of it.
    """
    assert get_resolver().url_patterns
    gc.collect()
    gc.freeze()


def with_static(app: Any) -> Any:
    """Serve every static folder in front of the site."""
    static = ServeStaticASGI(app, autorefresh=settings.DEBUG, max_age=0 if settings.DEBUG else 300)
    for finder in get_finders():
        for storage in getattr(finder, "storages", {}).values():
            static.add_files(storage.location, prefix=settings.STATIC_URL)
    return static


class SameOrigin(OriginValidator):  # type: ignore[misc]
    """Browsers must come from this site; programs send no Origin and need a ticket all the same."""

    def valid_origin(self, parsed_origin: Any) -> bool:
        return parsed_origin is None or bool(super().valid_origin(parsed_origin))


application = ProtocolTypeRouter(
    {
        "http": with_static(BodyLimit(http)),
        "websocket": SameOrigin(
            URLRouter([path("ws/stream", StreamConsumer.as_asgi())]), settings.ALLOWED_HOSTS
        ),
        "lifespan": lifespan,
    }
)
