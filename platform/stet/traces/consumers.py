"""The socket of a tab: tokens of the generations that it watches, and nudges. Acts are POSTs."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any
from uuid import UUID

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.http import parse_cookie
from django.utils.translation import activate
from django.utils.translation import gettext as _

from stet.common.errors import StetError
from stet.common.language import language_of
from stet.traces import selectors
from stet.traces.streams.changes import Reader, changed
from stet.traces.streams.runtime import hub
from stet.traces.streams.threads import in_thread
from stet.traces.streams.watch import watch
from stet.traces.tickets import ticket_use

MAX_FRAME = 4096
MAX_WATCHES = 32
AUTH_SECONDS = 10


class StreamConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One socket a tab. It uses no channel layer, so a dead broker cannot refuse a handshake."""

    channel_layer_alias = "none"

    async def connect(self) -> None:
        self.user: Any = None
        self.watches: dict[UUID, asyncio.Task[None]] = {}
        self.follows: dict[int, asyncio.Task[None]] = {}
        # For this socket alone: it has a task of its own, and so a context of its own.
        activate(language_of(self.scope["headers"]))
        await self.accept()
        self.deadline = asyncio.get_running_loop().call_later(
            AUTH_SECONDS, lambda: asyncio.ensure_future(self._late())
        )

    async def _late(self) -> None:
        if self.user is None:
            await self._error("not_authenticated", _("Send a ticket first."))
            await self.close(4401)

    async def disconnect(self, code: int) -> None:
        self.deadline.cancel()
        for task in [*self.watches.values(), *self.follows.values()]:
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        data = text_data.encode("utf-8", "replace") if text_data is not None else bytes_data or b""
        try:
            message = orjson.loads(data) if len(data) <= MAX_FRAME else None
        except orjson.JSONDecodeError:
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            await self._error("bad_message", _("A message is a small JSON object with a type."))
            return
        handler = getattr(self, f"on_{message['type']}", None)
        if handler is None:
            await self._error("bad_message", _("This type of message is not known."))
        elif self.user is None and message["type"] != "auth":
            await self._error("not_authenticated", _("Send a ticket first."))
            await self.close(4401)
        else:
            await handler(message)

    async def on_auth(self, message: dict[str, Any]) -> None:
        ticket = message.get("ticket")
        cookies = parse_cookie(dict(self.scope["headers"]).get(b"cookie", b"").decode("latin-1"))
        digest = hashlib.sha256(str(ticket).encode("utf-8", "replace")).digest()
        self.user = await in_thread(
            ticket_use, digest, cookies.get(settings.SESSION_COOKIE_NAME, "")
        )
        if self.user is None:
            await self._error("bad_ticket", _("This ticket is unknown, used or expired."))
            await self.close(4401)
            return
        await self._send({"type": "ready"})

    async def on_ping(self, message: dict[str, Any]) -> None:
        await self._send({"type": "pong"})

    async def on_unwatch(self, message: dict[str, Any]) -> None:
        task = self.watches.pop(_uuid(message.get("generation")), None)
        if task is not None:
            task.cancel()

    async def on_watch(self, message: dict[str, Any]) -> None:
        key, after = _uuid(message.get("generation")), message.get("after", 0)
        if type(after) is not int or not 0 <= after < 2**31:
            await self._error("bad_message", _("after is the number of ids that you have."))
            return
        try:
            await in_thread(selectors.check_stream, self.user, key)
        except StetError as error:
            await self._error(error.code, error.detail, key)
            return
        if (old := self.watches.pop(key, None)) is not None:
            old.cancel()
        if len(self.watches) >= MAX_WATCHES:
            detail = _("A socket watches %(count)d generations.") % {"count": MAX_WATCHES}
            await self._error("too_many", detail, key)
            return
        self.watches[key] = asyncio.create_task(self._forward(key, after))

    async def _forward(self, key: UUID, after: int) -> None:
        """Send as fast as the tab reads: a slow one gets fewer, larger messages."""
        try:
            async for frame in watch(key, after):
                await self.send(text_data=frame.decode())
        except (asyncio.CancelledError, OSError):
            # Cancelled, or the tab went away: nobody is there to be told.
            return
        except Exception:
            detail = _("The stream broke off; load the episode again.")
            await self._error("stream_failed", detail, key)
            raise
        finally:
            if self.watches.get(key) is asyncio.current_task():
                del self.watches[key]

    async def on_follow(self, message: dict[str, Any]) -> None:
        """Tell of acts on an episode, of its comments, and of its project's guideline."""
        episode = message.get("episode")
        if type(episode) is not int or not 0 < episode < 2**63:
            await self._error("bad_message", _("episode is the number of an episode."))
            return
        if episode in self.follows:
            return
        if len(self.follows) >= MAX_WATCHES:
            detail = _("A socket follows %(count)d episodes.") % {"count": MAX_WATCHES}
            await self._error("too_many", detail)
            return
        self.follows[episode] = asyncio.create_task(self._tell(episode))

    async def on_unfollow(self, message: dict[str, Any]) -> None:
        episode = message.get("episode")
        task = self.follows.pop(episode, None) if type(episode) is int else None
        if task is not None:
            task.cancel()

    async def _tell(self, episode: int) -> None:
        """Tell what the episode is now, and then of each change until the tab has gone."""
        reader, changes = Reader(), hub().changes
        changes.follow(reader, ("episode", episode))
        try:
            found = await in_thread(selectors.check_follow, self.user, episode)
            project, version, guideline = found
            changes.follow(reader, ("project", project))
            await self._send(changed("episode", episode, version))
            if guideline is not None:
                await self._send(changed("guideline", project, guideline))
            while True:
                await self._send(await reader.next())
        except StetError as error:
            await self._error(error.code, error.detail)
        except (asyncio.CancelledError, OSError):
            # Cancelled, or the tab went away: nobody is there to be told.
            return
        finally:
            changes.leave(reader)
            if self.follows.get(episode) is asyncio.current_task():
                del self.follows[episode]

    async def _error(self, code: str, detail: str, generation: UUID | None = None) -> None:
        body: dict[str, Any] = {"type": "error", "code": code, "detail": detail}
        if generation is not None:
            body["generation"] = generation
        await self._send(body)

    async def _send(self, message: dict[str, Any]) -> None:
        await self.send(text_data=orjson.dumps(message).decode())


def _uuid(value: Any) -> UUID:
    try:
        return UUID(str(value))
    except ValueError:
        return UUID(int=0)
