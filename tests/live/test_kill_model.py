"""A model server that dies in mid-stream."""

from __future__ import annotations

from stet.stack.parts import Web
from tests.history import check
from tests.live.stack import Scripted, Stack
from tests.live.test_kill_web import ended, goes_on, noted, streaming


def test_what_arrived_is_kept_and_goes_on_with_the_same_prefix(
    stack: Stack, slow: Scripted, own_web: Web
) -> None:
    api = stack.api(own_web)
    episode, generation, tab = streaming(stack, api)
    slow.kill()
    end = tab.end(generation)
    assert end["status"] == "interrupted"
    assert end["error"]["code"] == "model_lost"
    assert "kept" in end["error"]["detail"]
    assert end["seq"] == len(tab.rows[generation]) + 1
    check(noted(episode, generation, tab))

    while_down = api.good(f"/episodes/{episode}/continue", {"if_head": 1})
    tab.watch(while_down["generation"]["id"])
    refusal = tab.end(while_down["generation"]["id"])
    assert (refusal["status"], refusal["segment"]) == ("failed", None)
    assert refusal["error"]["code"] == "model_unreachable"
    head = api.tree(episode)["head"]
    assert head["length"] == end["seq"] - 1
    assert ended(api, episode)["id"] == generation

    slow.start()
    goes_on(slow, api, episode)
    tab.close()
    api.close()
