"""Rows that are written once. The model layer refuses changes, and so does the database."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from django.db import migrations, models

M = TypeVar("M", bound=models.Model, covariant=True)


class AppendOnlyQuerySet(models.QuerySet[M]):
    """A queryset that only reads and creates."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{self.model.__name__} rows are append-only")

    def delete(self) -> NoReturn:
        raise TypeError(f"{self.model.__name__} rows are append-only")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{self.model.__name__} rows are append-only")


class AppendOnlyModel(models.Model):
    """Base of every row that history is made of."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError(f"{type(self).__name__} rows are append-only")
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} rows are append-only")


FUNCTION = """
CREATE OR REPLACE FUNCTION stet_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$
"""


def append_only_function() -> migrations.RunSQL:
    """The trigger function that every append-only table shares."""
    return migrations.RunSQL(FUNCTION, "DROP FUNCTION IF EXISTS stet_append_only()")


def append_only_trigger(table: str, events: str = "UPDATE OR DELETE") -> migrations.RunSQL:
    """Refuse ``events`` on ``table`` whoever asks; TRUNCATE stays for test databases."""
    name = f"{table}_append_only"
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} BEFORE {events} ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION stet_append_only()",
        f"DROP TRIGGER IF EXISTS {name} ON {table}",
    )
