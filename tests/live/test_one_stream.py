"""A stream from the model to the socket and the database."""

from __future__ import annotations

from stet.stack.parts import Web
from tests.live.stack import Stack


def test_what_the_socket_shows_is_what_is_stored(stack: Stack, web: Web) -> None:
    api = stack.api(web)
    episode = api.good(f"/tasks/{stack.task('Tell me of the sea.').pk}/episodes")["episode"]
    tab = api.tab()
    began = api.good(f"/episodes/{episode['id']}/continue", {"if_head": 0})
    generation = began["generation"]["id"]
    tab.watch(generation)
    end = tab.end(generation)
    path = api.path(episode["id"])
    shown = tab.rows[generation]
    assert end["status"] == "done"
    assert path["rows"][-len(shown) :] == shown
    assert path["token_ids"][-1] == 2
    tab.close()
    api.close()
