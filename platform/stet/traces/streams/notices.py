"""What processes tell one another: PostgreSQL's LISTEN and NOTIFY."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection

from stet.common import changes
from stet.traces.streams.log import conninfo

CHANNEL = "stet_streams"
WATCH = "watch"
# Begins to listen, now or again: what was told before was not heard.
MISSED = ""
log = logging.getLogger(__name__)


def tell(kind: str, generation_id: UUID) -> None:
    """Tell the owner of a generation how to end it (a status), or that somebody does WATCH it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, f"{kind} {generation_id}"])


class Listener:
    """The receiving end; it reconnects by itself, and says so by a notice of no channel."""

    def __init__(self) -> None:
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def messages(self) -> AsyncIterator[tuple[str, str]]:
        """Channel and payload of every notice."""
        while True:
            try:
                self._connection = await psycopg.AsyncConnection.connect(
                    **conninfo(), autocommit=True
                )
                for channel in (CHANNEL, changes.CHANNEL):
                    await self._connection.execute(f"LISTEN {channel}")
                yield MISSED, ""
                async for note in self._connection.notifies():
                    yield note.channel, note.payload
            except (psycopg.Error, OSError) as failure:
                log.warning("listening: %s; trying again", failure)
                await asyncio.sleep(1)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
