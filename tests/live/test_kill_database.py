"""A database that restarts, or dies, under a stream."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.core.management import call_command
from django.db import connection

from stet.stack.parts import Postgres
from tests.history import check
from tests.live.stack import Stack, database, fill
from tests.live.test_kill_web import noted, streaming


@contextmanager
def durable(folder: Path) -> Iterator[Stack]:
    """A stack whose database keeps what it has confirmed, also when it is killed."""
    with Postgres(folder / "postgres", fsync=True) as postgres, database(postgres.url):
        call_command("migrate", verbosity=0)
        stack = fill(folder, postgres)
        try:
            yield stack
        finally:
            stack.close()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_that_was_shown_or_accepted_is_lost(
    how: signal.Signals, tmp_path: Path, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock(), durable(tmp_path) as stack:
        web = stack.web(stack.scripted(ttft_ms=5, itl_ms=25, tokens=1200))
        api = stack.api(web)
        episode, first, tab = streaming(stack, api)
        segment = api.tree(episode)["head"]["segment"]
        body = {"if_head": 1, "segment": segment, "index": 7, "choice": {"text": "then"}}
        made = api.good(f"/episodes/{episode}/corrections", body)
        generation = made["generation"]["id"]
        tab.watch(generation)
        tab.until(generation, 20)
        connection.close()
        end_database(stack.postgres, how)
        before = len(tab.rows[generation])
        tab.until(generation, before + 20)
        api.insist(f"/generations/{generation}/stop")
        end = tab.end(generation)
        # On a slow machine the stream may have reached its end, or the outage its limit.
        assert end["status"] in {"stopped", "done", "interrupted"}
        shown = [row[0] for row in tab.rows[generation]]
        assert api.path(episode)["token_ids"][-len(shown) :] == shown
        history = noted(episode, first, tab)
        history.note("shown", "tokens", episode=episode, id=generation, rows=tab.rows[generation])
        history.note("ok", "correct", episode=episode, version=2, id=made["correction"]["id"])
        check(history)
        tab.close()
        api.close()


def end_database(postgres: Postgres, how: signal.Signals) -> None:
    """End the server in this way and start it again on the same data."""
    if how == signal.SIGKILL:
        family = psutil.Process(postgres.pid).children(recursive=True)
        os.kill(postgres.pid, signal.SIGKILL)
        psutil.wait_procs(family, timeout=30)
        postgres.kill()
        postgres.start()
    else:
        postgres.restart()
