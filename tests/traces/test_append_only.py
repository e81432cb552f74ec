"""History is written once: the model layer refuses changes, and so does the database."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from annotate.models import Submission
from annotate.services import episode_submit
from stet.accounts.models import User
from stet.common.append_only import AppendOnlyModel
from stet.policies.models import Activation, PolicyVersion
from stet.traces.models import (
    Act,
    Candidates,
    Correction,
    CorrectionReason,
    Episode,
    Segment,
    Span,
)
from stet.traces.services import correction_make
from tests.traces.conftest import arrive, generation_at

KINDS = [
    Act,
    Candidates,
    Correction,
    CorrectionReason,
    Segment,
    Span,
    Submission,
    PolicyVersion,
    Activation,
]


@pytest.fixture
def written(episode: Episode, segment: Segment, annotator: User) -> None:
    """At least one row of every kind."""
    correction_make(
        user=annotator,
        episode_id=episode.pk,
        if_head=0,
        segment_id=segment.pk,
        index=3,
        choice={"text": "then"},
        reason="clearer",
        go_on=False,
    )
    episode_submit(user=annotator, episode_id=episode.pk, if_head=1, answers={}, active_ms=5)


def refuses(statement: str) -> None:
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize("kind", KINDS)
def test_a_written_row_can_neither_change_nor_go(kind: type[AppendOnlyModel]) -> None:
    row: Any = kind.objects.first()
    with pytest.raises(TypeError, match="append-only"):
        row.save()
    with pytest.raises(TypeError, match="append-only"):
        row.delete()
    for act in (
        lambda: kind.objects.update(pk=row.pk),
        lambda: kind.objects.all().delete(),
        lambda: kind.objects.bulk_update([row], [row._meta.fields[-1].name]),
    ):
        with pytest.raises(TypeError, match="append-only"):
            act()
    table, key = row._meta.db_table, row._meta.pk.column
    refuses(f"UPDATE {table} SET {key} = {key}")
    refuses(f"DELETE FROM {table}")


def test_a_chunk_can_go_but_never_change(episode: Episode) -> None:
    arrive(generation_at(episode), [5, 6])
    refuses("UPDATE traces_chunk SET seq = seq + 1")
