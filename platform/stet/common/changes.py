"""Telling every web process that something changed, with the transaction that changed it."""

from __future__ import annotations

from django.db import connection

CHANNEL = "stet_changes"
NOTIFY = "SELECT pg_notify(%s, concat_ws(' ', %s::text, %s::bigint, %s::int))"


def tell_changed(what: str, id: int, version: int | None = None) -> None:
    """Tell the pages that show it, once the transaction is committed.

    ``what`` is "episode", "comments" or "draft" (id of the episode), or "guideline" (of the
    project).
    """
    with connection.cursor() as cursor:
        cursor.execute(NOTIFY, [CHANNEL, what, id, version])
