"""Overlap: everybody starts from one first answer, and nobody sees the others' branches."""

from __future__ import annotations

from stet.accounts.roles import Role
from stet.stack.parts import Web
from tests.history import History, check
from tests.live.stack import Scripted, Stack


def test_the_second_person_is_shown_the_first_answer_again(
    stack: Stack, webs: tuple[Web, Web], quick: Scripted
) -> None:
    shared = stack.on(quick)
    task = shared.task("Tell me of the sea.", overlap=2)
    first = shared.api(webs[0], shared.person(Role.ANNOTATOR))
    second = shared.api(webs[1], shared.person(Role.ANNOTATOR))
    quick.forget()
    one = first.good(f"/projects/{shared.project.pk}/next")["episode"]
    began = first.good(f"/episodes/{one['id']}/continue", {"if_head": 0})
    tab = first.tab()
    generation = began["generation"]["id"]
    tab.watch(generation)
    tab.end(generation)
    body = {"if_head": 1, "segment": began["segment"], "index": 2, "choice": {"text": "then"}}
    made = first.good(f"/episodes/{one['id']}/corrections", {**body, "continue": False})

    two = second.good(f"/projects/{shared.project.pk}/next")["episode"]
    assert two["task"]["id"] == one["task"]["id"] == task.pk
    again = second.good(f"/episodes/{two['id']}/continue", {"if_head": 0})
    assert again["generation"]["id"] == generation
    away = second.tab()
    away.watch(generation)
    assert away.end(generation)["status"] == "done"
    assert away.rows[generation] == tab.rows[generation]
    assert len(quick.prompts()) == 1
    tree = second.tree(two["id"])
    assert {segment["id"] for segment in tree["segments"]} == {one["root"], began["segment"]}
    assert tree["corrections"] == []
    hidden = second.act(
        f"/episodes/{two['id']}/head",
        {"if_head": 1, "segment": made["correction"]["new_segment"], "length": 1},
    )
    assert (hidden.status, hidden.code) == (404, "no_such_segment")
    window = second.get(f"/segments/{began['segment']}/candidates?from=0&to=2")
    assert len(window.body["rows"]) == 2
    own = second.good(f"/episodes/{two['id']}/corrections", body)
    second.good(f"/generations/{own['generation']['id']}/stop")
    assert second.act(f"/generations/{generation}/stop").status == 404
    history = History()
    for episode, answer in ((one, made), (two, own)):
        correction = answer["correction"]["id"]
        history.note("ok", "correct", episode=episode["id"], version=2, id=correction)
    check(history, prompts=quick.prompts())
    for client in (tab, away, first, second):
        client.close()


def test_who_begins_meanwhile_watches_the_same_answer_and_cannot_end_it(
    stack: Stack, webs: tuple[Web, Web], quick: Scripted
) -> None:
    shared = stack.on(quick)
    shared.task("Tell me of the sea.", overlap=2)
    first, second = (shared.api(web, shared.person(Role.ANNOTATOR)) for web in webs)
    quick.mode("hang", after=12)
    one = first.good(f"/projects/{shared.project.pk}/next")["episode"]
    two = second.good(f"/projects/{shared.project.pk}/next")["episode"]
    began = first.good(f"/episodes/{one['id']}/continue", {"if_head": 0})
    again = second.good(f"/episodes/{two['id']}/continue", {"if_head": 0})
    quick.mode("ok")
    generation = began["generation"]["id"]
    assert again["generation"]["id"] == generation
    away = second.tab()
    away.watch(generation)
    away.until(generation, 12)
    window = second.get(f"/segments/{began['segment']}/candidates?from=0&to=2")
    assert len(window.body["rows"]) == 2
    body = {"if_head": 1, "segment": began["segment"], "index": 2, "choice": {"text": "then"}}
    refused = second.act(f"/episodes/{two['id']}/corrections", body)
    assert (refused.status, refused.code) == (409, "running")
    assert second.act(f"/generations/{generation}/stop").status == 404
    assert first.tree(one["id"])["generation"]["status"] == "running"
    first.good(f"/generations/{generation}/stop")
    assert away.end(generation)["status"] == "stopped"
    made = second.good(f"/episodes/{two['id']}/corrections", {**body, "continue": False})
    history = History()
    history.note("shown", "tokens", episode=one["id"], id=generation, rows=away.rows[generation])
    history.note("ok", "correct", episode=two["id"], version=2, id=made["correction"]["id"])
    check(history)
    for client in (away, first, second):
        client.close()
