"""Look-ahead through real processes: shown before the pick, the same ids after it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from stet.stack.parts import Web
from stet.traces.models import Chunk, Generation, Segment
from tests.history import check
from tests.live.api import Api, Tab
from tests.live.stack import Scripted, Stack
from tests.live.test_kill_web import noted, streaming

INDEX = 3


class Reader:
    """A person with an answer, who opens the list of one of its tokens."""

    def __init__(self, stack: Stack, api: Api, *, tokens: int = 1 << 30) -> None:
        self.api = api
        self.episode, self.generation, self.tab = streaming(stack, api, tokens=tokens)
        self.segment = api.tree(self.episode)["head"]["segment"]
        self.version = 1

    def leading(self, index: int = INDEX, n: int = 3) -> list[int]:
        """The first candidates that do not stand there already."""
        query = f"/segments/{self.segment}/candidates?from={index}&to={index + 1}"
        (row,) = self.api.get(query).body["rows"]
        ids = [one[0] for one in row["candidates"] if one[0] not in {row["sampled"]["id"], 2}]
        return ids[:n]

    def look(self, candidates: list[int], *, index: int = INDEX, **more: Any) -> Any:
        body = {"segment": self.segment, "index": index, "candidates": candidates, **more}
        return self.api.act(f"/episodes/{self.episode}/lookahead", body)

    def begun(self, candidates: list[int], **more: Any) -> list[dict[str, Any]]:
        """Look-aheads that are watched; one is asked for again while the server is busy."""
        limit = time.monotonic() + 30
        while True:
            answer = self.look(candidates, **more)
            assert answer.status == 202, answer
            if answer.body["skipped"] is None or time.monotonic() > limit:
                break
            time.sleep(0.1)
        for one in answer.body["generations"]:
            self.tab.watch(one["id"])
        found: list[dict[str, Any]] = answer.body["generations"]
        return found

    def take(self, one: dict[str, Any], rows: list[list[Any]], **more: Any) -> Any:
        body = {
            "if_head": self.version,
            "segment": self.segment,
            "index": INDEX,
            "choice": {"candidate": one["candidate"]},
            "lookahead": {"generation": one["id"], "ids": [row[0] for row in rows]},
            **more,
        }
        return self.api.act(f"/episodes/{self.episode}/corrections", body)

    def close(self) -> None:
        self.tab.close()
        self.api.close()


@pytest.fixture
def reader(stack: Stack, web: Web) -> Iterator[Reader]:
    one = Reader(stack, stack.api(web))
    yield one
    one.close()


def same(tab: Tab, one: dict[str, Any], path: dict[str, Any], at: int) -> None:
    """What was shown of a look-ahead stands in the path from ``at`` on, with its numbers."""
    rows = tab.rows[one["id"]]
    assert path["token_ids"][at : at + len(rows)] == [row[0] for row in rows]
    assert path["logprobs"][at : at + len(rows)] == [row[2] for row in rows]
    assert path["origins"][at : at + len(rows)] == [1] * len(rows)


def checked(reader: Reader, begun: list[dict[str, Any]], made: dict[str, Any]) -> None:
    """All invariants hold, and everything that was shown of the look-aheads is stored."""
    history = noted(reader.episode, reader.generation, reader.tab)
    for one in begun:
        rows = reader.tab.rows[one["id"]]
        history.note("shown", "tokens", episode=reader.episode, id=one["id"], rows=rows)
    history.note("ok", "correct", episode=reader.episode, version=2, id=made["id"])
    check(history)


def test_what_was_shown_is_what_is_stored_and_the_answer_goes_on(
    reader: Reader, quick: Scripted
) -> None:
    quick.forget()
    before = reader.api.path(reader.episode)
    begun = reader.begun(reader.leading())
    assert [one["status"] for one in begun] == ["lookahead"] * 3
    for one in begun:
        assert reader.tab.end(one["id"])["segment"] is None
        assert len(reader.tab.rows[one["id"]]) == 4
    # The tree does not have them, and the head is where it was.
    tree = reader.api.tree(reader.episode)
    assert len(tree["segments"]) == 2
    assert tree["version"] == 1
    assert tree["lookahead"] == {"generations": 3, "tokens": 12, "taken": 0, "taken_tokens": 0}

    second = begun[1]
    answer = reader.take(second, reader.tab.rows[second["id"]][:2])
    assert answer.status == 201, answer
    made, ahead = answer.body["correction"], answer.body["lookahead"]
    assert ahead["length"] == 4
    assert answer.body["generation"]["parent"] == ahead["segment"]
    assert answer.body["generation"]["sampling"]["max_tokens"] == 512 - 4
    reader.tab.watch(answer.body["generation"]["id"])
    reader.tab.end(answer.body["generation"]["id"])

    path = reader.api.path(reader.episode)
    at = made["position"]
    assert path["token_ids"][: at + 1] == [*before["token_ids"][:at], second["candidate"]]
    same(reader.tab, second, path, at + 1)
    stored = Segment.objects.get(pk=ahead["segment"])
    assert stored.seen_before_pick
    assert Segment.objects.filter(seen_before_pick=True, episode=reader.episode).count() == 1
    # Every request carried exactly the ids of its path, and the look-aheads yield to others.
    sent = quick.completions()
    place = path["token_ids"][:at]
    assert [body["prompt"] for body in sent] == [
        *([*place, one["candidate"]] for one in begun),
        path["token_ids"][: at + 5],
    ]
    assert [body["priority"] for body in sent] == [100, 100, 100, 0]

    tree = reader.api.tree(reader.episode)
    assert tree["lookahead"] == {"generations": 3, "tokens": 12, "taken": 1, "taken_tokens": 4}
    # Undo goes back before the pick and its look-ahead at once, redo to behind both.
    for how in ("undo", "redo"):
        body = {"if_head": tree["version"], **tree[how], "how": how}
        tree = reader.api.good(f"/episodes/{reader.episode}/head", body)["episode"]
        now = reader.api.path(reader.episode)
        assert now["token_ids"] == (before if how == "undo" else path)["token_ids"]
    checked(reader, begun, made)


def test_tokens_of_a_look_ahead_have_candidates_once_taken(reader: Reader) -> None:
    (one,) = reader.begun(reader.leading(n=1))
    assert reader.api.get(f"/segments/{one['segment']}/candidates").status == 404
    reader.tab.end(one["id"])
    made = reader.take(one, reader.tab.rows[one["id"]], **{"continue": False}).body
    assert made["generation"] is None
    ahead = made["lookahead"]["segment"]
    rows = reader.api.get(f"/segments/{ahead}/candidates").body["rows"]
    assert [row["sampled"]["id"] for row in rows] == [row[0] for row in reader.tab.rows[one["id"]]]
    other = next(c[0] for c in rows[2]["candidates"] if c[0] != rows[2]["sampled"]["id"])
    body = {"if_head": 2, "segment": ahead, "index": 2, "choice": {"candidate": other}}
    again = reader.api.good(f"/episodes/{reader.episode}/corrections", {**body, "continue": False})
    assert again["correction"]["rejected"] == [rows[2]["sampled"]["id"]]


def test_the_same_list_opened_again_shows_the_same_tokens(reader: Reader, quick: Scripted) -> None:
    leading = reader.leading()
    begun = reader.begun(leading[:2])
    for one in begun:
        reader.tab.end(one["id"])
    quick.forget()
    again = reader.begun(leading)
    assert [one["id"] for one in again[:2]] == [one["id"] for one in begun]
    assert len(quick.prompts()) <= 1
    for one in again:
        reader.tab.end(one["id"])


def test_a_look_ahead_that_is_not_what_was_shown_refuses_the_pick(reader: Reader) -> None:
    first, second = reader.begun(reader.leading(n=2))
    for one in (first, second):
        reader.tab.end(one["id"])
    rows = reader.tab.rows[first["id"]]
    wrong = [{**first, "id": second["id"]}, {**first, "id": reader.generation}]
    answers = [reader.take(one, rows) for one in wrong]
    answers.append(reader.take(first, [[(rows[0][0] + 1) % 100, "", None], *rows[1:]]))
    answers.append(reader.take(first, [*rows, rows[0]]))
    assert [answer.code for answer in answers] == ["not_what_you_saw"] * 4
    assert {answer.status for answer in answers} == {412}
    assert reader.api.tree(reader.episode)["version"] == 1
    # Where nothing of it was shown, the pick needs no look-ahead.
    made = reader.take(wrong[0], [])
    assert (made.status, made.body["lookahead"]) == (201, None)
    reader.api.good(f"/generations/{made.body['generation']['id']}/stop")


def test_a_place_in_an_answer_that_still_arrives(
    stack: Stack,
    slow: Scripted,
    own_web: Web,
) -> None:
    reader = Reader(stack, stack.api(own_web), tokens=12)
    begun = reader.begun(reader.leading())
    assert len(begun) == 3
    first = begun[0]
    shown = list(reader.tab.until(first["id"], 1))
    made = reader.take(first, shown)
    assert made.status == 201, made
    reader.tab.end(reader.generation)
    reader.tab.watch(made.body["generation"]["id"])
    reader.tab.until(made.body["generation"]["id"], 2)
    reader.api.good(f"/generations/{made.body['generation']['id']}/stop")
    path = reader.api.path(reader.episode)
    at = made.body["correction"]["position"] + 1
    assert path["token_ids"][at : at + len(shown)] == [row[0] for row in shown]
    quiet(slow)
    history = noted(reader.episode, reader.generation, reader.tab)
    history.note("shown", "tokens", episode=reader.episode, id=first["id"], rows=shown)
    history.note(
        "ok", "correct", episode=reader.episode, version=2, id=made.body["correction"]["id"]
    )
    check(history)
    reader.close()


def quiet(model: Scripted, seconds: float = 10) -> None:
    """Nothing runs at the model server any more."""
    limit = time.monotonic() + seconds
    while model.running() and time.monotonic() < limit:
        time.sleep(0.05)
    assert model.running() == 0


def test_cancelling_ends_the_requests_and_keeps_the_answer(
    stack: Stack,
    slow: Scripted,
    own_web: Web,
) -> None:
    reader = Reader(stack, stack.api(own_web), tokens=12)
    leading = reader.leading()
    reader.api.good(f"/generations/{reader.generation}/stop")
    begun = reader.begun(leading, length=16)
    reader.tab.until(begun[0]["id"], 1)
    assert slow.running() == 3
    stopped = reader.api.good(f"/episodes/{reader.episode}/lookahead/cancel")
    assert stopped == {"stopping": 3}
    quiet(slow, 2)
    ends = [reader.tab.end(one["id"]) for one in begun]
    assert {end["status"] for end in ends} == {"lookahead"}
    path = reader.api.path(reader.episode)
    assert path["segment"] == reader.segment
    # What had been shown can be taken all the same.
    made = reader.take(begun[0], reader.tab.rows[begun[0]["id"]], **{"continue": False})
    assert made.status == 201, made
    reader.close()


def test_a_killed_process_leaves_no_segment_and_what_was_shown_can_be_taken(
    stack: Stack,
    slow: Scripted,
    own_web: Web,
) -> None:
    reader = Reader(stack, stack.api(own_web), tokens=12)
    leading = reader.leading()
    reader.api.good(f"/generations/{reader.generation}/stop")
    before = reader.api.path(reader.episode)
    begun = reader.begun(leading, length=16)
    shown = list(reader.tab.until(begun[0]["id"], 2))
    os.kill(own_web.pid, signal.SIGKILL)
    own_web.kill()
    other = stack.web(slow)
    away = Api(other.url, reader.api.key)
    # The owner is dead and nobody has noticed yet: the pick does not wait for that.
    reader.api.close()
    reader.api, began = away, time.monotonic()
    made = reader.take(begun[0], shown, **{"continue": False})
    assert made.status == 201, made
    assert time.monotonic() - began < 5
    at = made.body["correction"]["position"] + 1
    path = away.path(reader.episode)
    assert path["token_ids"][at : at + len(shown)] == [row[0] for row in shown]
    limit = time.monotonic() + 60
    while Generation.objects.filter(episode=reader.episode, ended_at=None).exists():
        assert time.monotonic() < limit
        time.sleep(0.5)
    left = list(Generation.objects.filter(pk__in=[one["id"] for one in begun[1:]]))
    assert {one.status for one in left} == {"lookahead"}
    assert {(one.error or {}).get("code") for one in left} == {"owner_lost"}
    assert not Segment.objects.filter(pk__in=[one["segment"] for one in begun[1:]]).exists()
    assert {one.n_tokens for one in left} == {
        sum(c.seq - c.start for c in Chunk.objects.filter(generation=one)) for one in left
    }
    tree = away.tree(reader.episode)
    assert len(tree["segments"]) == 4
    body = {"if_head": 2, **tree["undo"], "how": "undo"}
    away.good(f"/episodes/{reader.episode}/head", body)
    assert away.path(reader.episode)["token_ids"] == before["token_ids"]
    other.stop()
    reader.close()


def test_a_switched_off_project_and_strangers_get_none(
    stack: Stack, web: Web, reader: Reader, quick: Scripted
) -> None:
    leading = reader.leading()
    quick.forget()
    stack.project.settings = {"lookahead": False}
    stack.project.save(update_fields=["settings"])
    try:
        answer = reader.look(leading)
    finally:
        stack.project.settings = {}
        stack.project.save(update_fields=["settings"])
    assert answer.body == {"generations": [], "skipped": "off"}
    stranger = stack.api(web)
    own, reader.api = reader.api, stranger
    assert reader.look(leading).status == 404
    reader.api = own
    stranger.close()
    assert quick.prompts() == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"candidates": [5_000_000]}, "unknown_token"),
        ({"candidates": []}, "invalid"),
        ({"candidates": [3, 4, 5, 6]}, "invalid"),
        ({"index": 1_000_000}, "past_end"),
        ({"segment": "00000000-0000-0000-0000-000000000001"}, "no_such_segment"),
        ({"length": 17}, "invalid"),
        ({"more": 1}, "invalid"),
    ],
)
def test_bad_requests_begin_nothing(
    reader: Reader, quick: Scripted, change: dict[str, Any], code: str
) -> None:
    quick.forget()
    body = {"segment": reader.segment, "index": INDEX, "candidates": [30], **change}
    answer = reader.api.act(f"/episodes/{reader.episode}/lookahead", body)
    assert (answer.status // 100, answer.code) == (4, code)
    assert quick.prompts() == []
