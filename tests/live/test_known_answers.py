"""A task with a known answer streams like any other, and nothing that is said gives it away."""

from __future__ import annotations

import json
import re

from annotate.services import gold_set
from stet.accounts.roles import Role
from stet.projects.models import Task
from stet.stack.parts import Web
from stet.traces.models import Episode
from tests.live.stack import Scripted, Stack

TELLING = re.compile(r"gold|replay|known|honey|score", re.IGNORECASE)


def test_it_is_given_again_as_a_stream_of_its_own(
    stack: Stack, webs: tuple[Web, Web], quick: Scripted
) -> None:
    own = stack.on(quick)
    task = own.task("Tell me of the sea.")
    other = own.task("Tell me of the sea again.")
    lead = own.api(webs[0])
    one = lead.good(f"/projects/{own.project.pk}/next")["episode"]
    assert one["task"]["id"] == task.pk
    began = lead.good(f"/episodes/{one['id']}/continue", {"if_head": 0})
    tab = lead.tab()
    tab.watch(began["generation"]["id"])
    tab.end(began["generation"]["id"])
    lead.good(f"/episodes/{one['id']}/submit", {"if_head": 1})
    gold_set(user=Episode.objects.get(pk=one["id"]).author, task=task, fault=None)
    own.project.settings = {"gold_share": 1.0}
    own.project.save()
    asked = len(quick.prompts())

    tree, rows = {}, {}
    person = own.api(webs[1], own.person(Role.ANNOTATOR))
    for expected in (task, other):
        two = person.good(f"/projects/{own.project.pk}/next")["episode"]
        assert two["task"]["id"] == expected.pk
        again = person.good(f"/episodes/{two['id']}/continue", {"if_head": 0})
        generation = again["generation"]["id"]
        away = person.tab()
        away.watch(generation)
        assert away.end(generation)["status"] == "done"
        rows[expected.pk] = away.rows[generation]
        tree[expected.pk] = person.tree(two["id"])
        away.close()
        person.good(f"/episodes/{two['id']}/submit", {"if_head": 1})
        own.project.settings = {}
        own.project.save()
    assert rows[task.pk] == tab.rows[began["generation"]["id"]]
    assert len(quick.prompts()) == asked + 1
    said = [{**tree[each.pk], "task": None} for each in (task, other)]
    assert not TELLING.search(json.dumps(said))
    assert shape(said[0]) == shape(said[1])
    assert said[0]["generations"][0]["created_at"] > began["generation"]["created_at"]
    assert Task.objects.get(pk=task.pk).gold is not None
    for client in (tab, lead, person):
        client.close()


def shape(value: object) -> object:
    """What kinds of things stand where, without their values."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value[:1]]
    return type(value).__name__
