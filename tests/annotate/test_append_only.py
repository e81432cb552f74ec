"""What is history is guarded by the database too, in every app."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection

from stet.common.models import AppendOnlyModel

GUARDED = """
SELECT c.relname FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE p.proname = 'stet_append_only'
"""


@pytest.mark.django_db
def test_every_row_of_history_has_its_trigger() -> None:
    with connection.cursor() as cursor:
        cursor.execute(GUARDED)
        guarded = {name for (name,) in cursor.fetchall()}
    models = [model for model in apps.get_models() if issubclass(model, AppendOnlyModel)]
    assert {model._meta.db_table for model in models} <= guarded
    assert len(models) > 8
