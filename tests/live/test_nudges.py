"""Who shows an episode hears at once of acts, comments and guidelines, from any process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from stet.common.changes import tell_changed
from stet.projects.services import guideline_create
from stet.stack.parts import Web
from stet.traces.models import Episode
from tests.live.api import Api, Tab
from tests.live.stack import Stack, project_on
from tests.scripted.use import small_folder

Pair = tuple[Api, Api]


@pytest.fixture
def pair(stack: Stack, webs: tuple[Web, Web]) -> Iterator[Pair]:
    """One person at both processes."""
    key = stack.person()
    here, there = Api(webs[0].url, key), Api(webs[1].url, key)
    yield here, there
    here.close()
    there.close()


def begun(stack: Stack, api: Api) -> int:
    body = api.good(f"/tasks/{stack.task('Hello').pk}/episodes")
    return int(body["episode"]["id"])


def following(api: Api, episode: int) -> Tab:
    tab = api.tab()
    tab.send({"type": "follow", "episode": episode})
    assert tab.message() == {"type": "changed", "what": "episode", "id": episode, "version": 0}
    return tab


def test_an_act_is_told_within_a_second_wherever_it_was_done(stack: Stack, pair: Pair) -> None:
    here, there = pair
    episode = begun(stack, here)
    tabs = [following(api, episode) for api in pair]
    begin = time.monotonic()
    there.good(f"/episodes/{episode}/later", {"if_head": 0})
    for tab in tabs:
        told = tab.message(timeout=1)
        assert told == {"type": "changed", "what": "episode", "id": episode, "version": 1}
    assert time.monotonic() - begin < 1
    refused = here.act(f"/episodes/{episode}/later", {"if_head": 0})
    assert refused.status == 412
    tabs[0].send({"type": "ping"})
    assert tabs[0].message() == {"type": "pong"}
    for tab in tabs:
        tab.close()


def test_comments_and_a_new_guideline_are_told(stack: Stack, pair: Pair) -> None:
    here, _ = pair
    episode = begun(stack, here)
    tab = following(here, episode)
    tell_changed("comments", episode)
    assert tab.message(timeout=1) == {"type": "changed", "what": "comments", "id": episode}
    row = Episode.objects.get(pk=episode)
    project = row.task.project
    made = guideline_create(project=project, user=row.author, text="Be brief.")
    told = tab.message(timeout=1)
    assert told == {
        "type": "changed",
        "what": "guideline",
        "id": project.pk,
        "version": made.version,
    }
    again = following(here, episode)
    assert again.message(timeout=1) == told
    again.close()
    tab.send({"type": "unfollow", "episode": episode})
    tab.send({"type": "ping"})
    assert tab.message() == {"type": "pong"}
    tell_changed("comments", episode)
    tab.send({"type": "ping"})
    assert tab.message() == {"type": "pong"}
    tab.close()


def test_a_foreign_episode_is_not_found(stack: Stack, pair: Pair, web: Web) -> None:
    here, _ = pair
    episode = begun(stack, here)
    other, _ = project_on("Elsewhere", "scripted", small_folder())
    api = Api(web.url, stack.person(project=other))
    tab = api.tab()
    tab.send({"type": "follow", "episode": episode})
    assert tab.message()["code"] == "not_found"
    api.close()


@pytest.mark.parametrize("episode", [0, -1, 2**70, "7", None, [], 1.5, True])
def test_what_is_no_number_is_refused(pair: Pair, episode: Any) -> None:
    tab = pair[0].tab()
    tab.send({"type": "follow", "episode": episode})
    assert tab.message()["code"] == "bad_message"
    tab.close()
