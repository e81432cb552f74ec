"""What an act may cost: every trip to the database is a part of a person's wait."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from stet.common.packing import unpack_ids
from stet.traces.digests import seen_digest
from stet.traces.models import Episode, Segment
from stet.traces.selectors import path_to
from tests.conftest import Client


def test_a_correction_asks_the_database_at_most_twelve_times(
    as_annotator: Client, episode: Episode, segment: Segment
) -> None:
    seen = path_to(segment.pk).ids[: segment.start + 3]
    body = {
        "if_head": 0,
        "segment": str(segment.pk),
        "index": 3,
        "choice": {"candidate": unpack_ids(segment.ids)[3] + 1},
        "seen": {"upto": len(seen), "digest": seen_digest(seen)},
        "continue": False,
    }
    path = f"/api/v1/episodes/{episode.pk}/corrections"
    as_annotator.act(path, {**body, "if_head": 99}, key="warm")
    with CaptureQueriesContext(connection) as asked:
        answer = as_annotator.act(path, body)
    assert answer.status_code == 201, answer.json()
    queries = [query["sql"] for query in asked if "SAVEPOINT" not in query["sql"]]
    assert len(queries) <= 12, queries
