"""The chunk log: one statement writes what all streams of this process received."""

from __future__ import annotations

import sys
from struct import pack
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection
from psycopg.adapt import Dumper
from psycopg.pq import Format

from stet.traces.streams.live import Pending

assert sys.byteorder == "little", "token arrays are packed as they lie in memory"

# A generation that is no longer ours (sealed by a sweep, say) takes no more chunks. The lock makes
# a seal that reads the log at this moment wait for them, or them for it.
INSERT = """
WITH ours AS (
  SELECT id, stop_requested FROM traces_generation
  WHERE id = ANY(%s::uuid[]) AND ended_at IS NULL AND owner = %s
  FOR KEY SHARE
), added AS (
  INSERT INTO traces_chunk (generation_id, start, seq, k, ids, logprobs, candidate_ids,
                            candidate_logprobs)
  SELECT u.* FROM unnest(%s::uuid[], %s::int[], %s::int[], %s::smallint[], %s::bytea[],
                         %s::bytea[], %s::bytea[], %s::bytea[])
         AS u (generation_id, start, seq, k, ids, logprobs, candidate_ids, candidate_logprobs)
  JOIN ours ON ours.id = u.generation_id
)
SELECT id, stop_requested FROM ours
"""
HEARTBEAT = """
UPDATE traces_generation SET heartbeat_at = now()
WHERE id = ANY(%s::uuid[]) AND ended_at IS NULL AND owner = %s
RETURNING id, stop_requested
"""
Ours = dict[UUID, bool]
"""The generations that are still ours, and whether somebody asked to stop them."""


UUID_OID, INT4_OID, INT2_OID, BYTEA_OID = 2950, 23, 21, 17


class Packed(bytes):
    """A parameter that is already as PostgreSQL's binary protocol has it."""


class PackedDumper(Dumper):
    """The query says of which type it is."""

    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


def array_of(oid: int, items: list[bytes]) -> Packed:
    """An array of one dimension of elements of type ``oid``; psycopg takes ten times as long."""
    parts = [pack("!iiiii", 1, 0, oid, len(items), 1)]
    for item in items:
        parts += (pack("!i", len(item)), item)
    return Packed(b"".join(parts))


def conninfo() -> dict[str, Any]:
    """The parameters of Django's database, for a connection of our own."""
    params = connection.get_connection_params()
    for name in ("context", "cursor_factory", "pool", "prepare_threshold"):
        params.pop(name, None)
    return params


class ChunkLog:
    """An asynchronous connection that only appends chunks.

    Commits do not wait for the disk: what is shown survives the death of this process, and
    everything that is acknowledged is written by other transactions, which do wait.
    """

    def __init__(self, owner: UUID) -> None:
        self.owner = owner
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def connect(self) -> psycopg.AsyncConnection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = await psycopg.AsyncConnection.connect(
                **conninfo(), autocommit=True, prepare_threshold=0
            )
            self._connection.adapters.register_dumper(Packed, PackedDumper)
            await self._connection.execute("SET synchronous_commit = off")
        return self._connection

    async def write(self, batch: list[Pending]) -> Ours:
        """Append the batch."""
        link = await self.connect()
        ids = array_of(UUID_OID, [item.generation_id.bytes for item in batch])
        columns = (
            ids,
            array_of(INT4_OID, [pack("!i", item.start) for item in batch]),
            array_of(INT4_OID, [pack("!i", item.seq) for item in batch]),
            array_of(INT2_OID, [pack("!h", item.k) for item in batch]),
            array_of(BYTEA_OID, [item.ids for item in batch]),
            array_of(BYTEA_OID, [item.logprobs for item in batch]),
            array_of(BYTEA_OID, [item.candidate_ids for item in batch]),
            array_of(BYTEA_OID, [item.candidate_logprobs for item in batch]),
        )
        cursor = await link.execute(INSERT, [ids, self.owner, *columns], binary=True)
        return dict(await cursor.fetchall())

    async def known(self, generation_ids: list[UUID]) -> dict[UUID, int]:
        """How many ids of each generation the log holds, for when an answer of it was lost."""
        link = await self.connect()
        cursor = await link.execute(
            "SELECT generation_id, max(seq) FROM traces_chunk "
            "WHERE generation_id = ANY(%s::uuid[]) GROUP BY generation_id",
            [generation_ids],
        )
        return dict(await cursor.fetchall())

    async def heartbeat(self, generation_ids: list[UUID]) -> Ours:
        """Say that this process still reads these streams."""
        link = await self.connect()
        cursor = await link.execute(HEARTBEAT, [generation_ids, self.owner])
        return dict(await cursor.fetchall())

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
