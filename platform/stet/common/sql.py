"""Fixed queries for hot paths: what is asked at every act is not built anew for each."""

from __future__ import annotations

from typing import Any

from django.db import connection


def rows(query: str, *params: Any) -> list[tuple[Any, ...]]:
    """Every row that the query answers with, its columns in order."""
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        return list(cursor.fetchall())
