"""A web process that dies, or is asked to end, in mid-stream."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from stet.stack.parts import Web
from stet.traces.models import Generation
from tests.history import History, check
from tests.live.api import Api, Tab
from tests.live.stack import Scripted, Stack


def streaming(stack: Stack, api: Api, tokens: int = 20, **sampling: Any) -> tuple[int, str, Tab]:
    """An episode whose answer has begun to arrive: (episode, generation, tab)."""
    episode = api.good(f"/tasks/{stack.task('Tell me of the sea.').pk}/episodes")["episode"]["id"]
    body = {"if_head": 0, **({"sampling": sampling} if sampling else {})}
    began = api.good(f"/episodes/{episode}/continue", body)
    tab = api.tab()
    tab.watch(began["generation"]["id"])
    tab.until(began["generation"]["id"], tokens)
    return episode, began["generation"]["id"], tab


def ended(api: Api, episode: int, seconds: float = 60) -> Any:
    """The generation at the head once nothing runs there; it is waited for."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        generation = api.tree(episode)["generation"]
        if generation["status"] != "running":
            return generation
        time.sleep(0.5)
    raise AssertionError(f"the generation of episode {episode} was not sealed")


def goes_on(slow: Scripted, api: Api, episode: int) -> None:
    """*Continue* sends exactly the stored ids."""
    before = api.path(episode)
    slow.forget()
    began = api.good(f"/episodes/{episode}/continue", {"if_head": before["version"]})
    tab = api.tab()
    tab.watch(began["generation"]["id"])
    assert tab.until(began["generation"]["id"], 3)
    api.good(f"/generations/{began['generation']['id']}/stop")
    assert slow.prompts() == [before["token_ids"]]
    assert (
        api.path(episode)["token_ids"][: before["length"] + before["pieces"][-1]["start"]]
        == (before["token_ids"])
    )
    tab.close()


def noted(episode: int, generation: str, tab: Tab) -> History:
    history = History()
    history.note("ok", "continue", episode=episode, version=1)
    history.note("shown", "tokens", episode=episode, id=generation, rows=tab.rows[generation])
    return history


def test_what_was_shown_before_a_kill_is_stored_and_goes_on(
    stack: Stack, slow: Scripted, own_web: Web
) -> None:
    api = stack.api(own_web)
    episode, generation, tab = streaming(stack, api)
    os.kill(own_web.pid, signal.SIGKILL)
    assert tab.closed() == 1006
    own_web.kill()
    own_web.start()
    sealed = ended(api, episode)
    assert sealed["status"] == "interrupted"
    assert sealed["error"]["code"] == "owner_lost"
    assert sealed["n_tokens"] >= len(tab.rows[generation]) >= 20
    check(noted(episode, generation, tab))
    goes_on(slow, api, episode)
    tab.close()
    api.close()


def test_a_silent_owner_is_not_waited_for_by_a_correction(
    stack: Stack, slow: Scripted, own_web: Web
) -> None:
    api = stack.api(own_web)
    episode, generation, tab = streaming(stack, api)
    segment = api.tree(episode)["head"]["segment"]
    other = stack.web(slow)
    own_web.kill()
    away = Api(other.url, api.key)
    body = {"if_head": 1, "segment": segment, "index": 10, "choice": {"text": "then"}}
    made = away.good(f"/episodes/{episode}/corrections", body)
    assert made["correction"]["index"] <= 10
    away.good(f"/generations/{made['generation']['id']}/stop")
    history = noted(episode, generation, tab)
    history.note("ok", "correct", episode=episode, version=2, id=made["correction"]["id"])
    check(history)
    other.stop()
    tab.close()
    away.close()
    api.close()


def test_a_process_that_is_asked_to_end_seals_and_says_so(
    stack: Stack, slow: Scripted, own_web: Web
) -> None:
    api = stack.api(own_web)
    episode, generation, tab = streaming(stack, api)
    api.close()
    os.kill(own_web.pid, signal.SIGTERM)
    code = tab.closed()
    limit = time.monotonic() + 60
    while own_web.alive and time.monotonic() < limit:
        time.sleep(0.1)
    assert not own_web.alive
    row = Generation.objects.get(pk=generation)
    assert row.status == "interrupted"
    assert code == 1012
    check(noted(episode, generation, tab))
    own_web.restart()
    goes_on(slow, api, episode)
    tab.close()
    api.close()
