"""What a page shows against what is stored, and what was acknowledged against what happened."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from annotate.models import Comment, Draft
from stet.policies.tokenizer import load_tokenizer
from stet.traces import selectors
from stet.traces.documents import path_rows
from stet.traces.models import Correction, Episode, Generation
from tests.browser.probe import Probe, Sent, read_store
from tests.faultproxy import FaultProxy
from tests.history import History, check

ROUTES = {"corrections": "correct", "continue": "continue", "turns": "turn"}


def stored(number: int, model: Path) -> dict[str, Any]:
    """An episode as the database holds it, in the words of ``probe.READ_STORE``."""
    episode = Episode.objects.get(pk=number)
    path = selectors.head_path(episode)
    made = list(Correction.objects.filter(episode=episode).order_by("pk"))
    draft = Draft.objects.filter(episode=episode).first()
    on_path = {piece.segment.pk for piece in path.pieces}
    rows = path_rows(path, load_tokenizer(model))[path.root.length :]
    return {
        "version": episode.version,
        "status": episode.status,
        "live": False,
        "ids": list(path.ids),
        "root": path.root.length,
        "corrections": [one.pk for one in made],
        "text": "".join(row[1] for row in rows),
        "figures": str(sum(one.new_segment_id in on_path for one in made)),
        "quality": str(draft.answers.get("quality", "")) if draft else "",
        "comments": Comment.objects.filter(episode=episode, parent=None).count(),
    }


def difference(page: Page, number: int, model: Path) -> str:
    """What the page shows otherwise than it is stored, "" for nothing."""
    shown = read_store(page)
    if shown is None:
        return "the page shows no settled state"
    shown["figures"] = shown["figures"].partition(" correction")[0]
    kept = stored(number, model)
    if shown["low"] < shown["root"]:
        # An assistant speaks in the prompt already: the text begins with what was asked first.
        shown["text"] = shown["text"][len(shown["text"]) - len(kept["text"]) :]
    lines = [
        f"{name}: shown {shown[name]!r}, stored {value!r}"
        for name, value in kept.items()
        if shown[name] != value
    ]
    return "\n".join(lines)


def unanswered(proxy: FaultProxy, probe: Probe) -> list[Sent]:
    """Acts that were sent and whose acceptance or refusal never came back."""
    told = {one.key for one in proxy.seen if one.delivered and (one.status or 500) < 500}
    return [sent for key, sent in probe.acts.items() if key not in told]


def reckon(proxy: FaultProxy, probe: Probe, episodes: list[int]) -> None:
    """Every act that was acknowledged is stored once, and nothing that was not."""
    history = History()
    accepted: dict[str, dict[str, Any]] = {}
    for one in proxy.seen:
        if one.delivered and one.status in {200, 201, 202}:
            body = json.loads(one.answer)
            assert accepted.setdefault(one.key, body) == body, f"{one.key} was answered twice"
    for key, body in accepted.items():
        note(history, probe.acts[key], body)
    said = [key for key in accepted if probe.acts[key].path.endswith("/comments")]
    assert Comment.objects.filter(episode__in=episodes).count() == len(said)
    for generation, rows in probe.rows.items():
        owner = Generation.objects.get(pk=generation).episode_id
        history.note("shown", "tokens", episode=owner, id=generation, rows=rows)
    check(history)


def note(history: History, sent: Sent, body: dict[str, Any]) -> None:
    """An accepted act of an episode."""
    found = re.fullmatch(r"/episodes/(\d+)/(\w+)", sent.path)
    if found is None:
        return
    route = found[2]
    op = sent.body["how"] if route == "head" else ROUTES.get(route, route)
    made = body.get("correction", {}).get("id")
    version = body["episode"]["version"]
    history.note("ok", op, episode=int(found[1]), version=version, id=made)
