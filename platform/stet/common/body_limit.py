"""No request body grows beyond the limit of uploads, whatever length the client says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import override

from stet.common.http import BodyTooLarge
from stet.common.language import language_of
from stet.common.uploads import MAX_UPLOAD

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

MAX_BODY = MAX_UPLOAD + 2**20
# A client that is cut off while it sends sees a broken connection instead of the answer.
DRAIN = 5 * MAX_BODY


class _TooLarge(Exception):
    pass


class BodyLimit:
    """An ASGI application in front of ``app``: 413 beyond the limit; nothing of it is stored.

    Django stores the whole body before any of its own limits is asked.
    """

    def __init__(self, app: App, limit: int = MAX_BODY) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        total = 0
        if _length(scope) > self.limit:
            await self._refuse(scope, receive, send, 0)
            return

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self.limit:
                raise _TooLarge
            return message

        try:
            await self.app(scope, counted, send)
        except _TooLarge:
            await self._refuse(scope, receive, send, total)

    async def _refuse(
        self, scope: dict[str, Any], receive: Receive, send: Send, total: int
    ) -> None:
        while total < DRAIN:
            message = await receive()
            total += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body"):
                break
        with override(language_of(scope.get("headers", ()))):
            size = {"size": self.limit // 2**20}
            error = BodyTooLarge(_("A request may have %(size)d MB. Nothing was changed.") % size)
            problem = error.problem()
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": error.status, "headers": headers})
        await send({"type": "http.response.body", "body": orjson.dumps(problem)})


def _length(scope: dict[str, Any]) -> int:
    for name, value in scope.get("headers", ()):
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
