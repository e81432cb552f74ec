"""An act that the database refuses at its end leaves nothing behind, not even a request."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from django.db import connection

from stet.stack.parts import Web
from stet.traces.models import Correction, Episode, Generation, Segment
from tests.live.api import fresh_key
from tests.live.stack import Scripted, Stack

REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON traces_correction
FOR EACH ROW WHEN (NEW.typed_text = 'a full disk') EXECUTE FUNCTION refuse();
"""
ALLOW = "DROP TRIGGER refuse ON traces_correction; DROP FUNCTION refuse()"


@pytest.fixture
def full_disk(stack: Stack) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(REFUSE)
    yield
    with connection.cursor() as cursor:
        cursor.execute(ALLOW)


def test_its_stream_is_closed_and_the_answer_can_be_corrected_again(
    stack: Stack, web: Web, quick: Scripted, full_disk: None
) -> None:
    api = stack.api(web)
    made = api.good(f"/tasks/{stack.task('Tell me of the sea.').pk}/episodes")["episode"]
    tab = api.tab()
    began = api.good(f"/episodes/{made['id']}/continue", {"if_head": 0})
    tab.watch(began["generation"]["id"])
    tab.end(began["generation"]["id"])
    before = Generation.objects.count(), Segment.objects.count()
    quick.forget()
    place = {"segment": began["segment"], "index": 1, "if_head": 1}
    url = f"/episodes/{made['id']}/corrections"
    body = json.dumps({**place, "choice": {"text": "a full disk"}}).encode()
    status, problem, _ = api.raw("POST", url, body, **{"Idempotency-Key": fresh_key()})
    assert (status, json.loads(problem)["code"]) == (500, "server_error")
    # The model had been asked already, or was not: nothing of it may be kept, or go on.
    time.sleep(0.5)
    assert (Generation.objects.count(), Segment.objects.count()) == before
    assert Episode.objects.get(pk=made["id"]).version == 1
    assert not Correction.objects.filter(episode=made["id"]).exists()
    again = api.act(url, {**place, "choice": {"text": "an empty disk"}})
    assert again.status == 201, again
    tab.watch(again.body["generation"]["id"])
    assert tab.end(again.body["generation"]["id"])["status"] == "done"
    assert len(quick.prompts()) in {1, 2}
    tab.close()
    api.close()
