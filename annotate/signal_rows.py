"""Signals as they come from outside: which episode, which span of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from stet.common.errors import Invalid, NotFound, StetError
from stet.common.http import loads
from stet.common.serializers import validated
from stet.projects.models import Project
from stet.traces.models import Episode, Segment
from stet.traces.places import Located, Place, located
from stet.traces.selectors import path_found
from stet.traces.services import Said, signals_add
from stet.traces.services.signal import Recorded

MOST = 10_000
NAMED = ("step", "call", "message")


def body_rows(body: bytes) -> list[tuple[int, Any]]:
    """The lines of a body of JSON lines by number; a line that is no JSON stands as its error."""
    rows: list[tuple[int, Any]] = []
    for number, line in enumerate(body.splitlines(), 1):
        if line.strip():
            try:
                rows.append((number, loads(line)))
            except StetError as error:
                rows.append((number, error))
    return rows


def signals_take(
    project: Project,
    user: Any,
    rows: Sequence[tuple[int, Any]],
    shape: type[serializers.Serializer[Any]],
) -> Recorded:
    """Keep the good ones of numbered rows. Raises Invalid for more than 10,000 of them."""
    if len(rows) > MOST:
        raise Invalid(
            _("At most %(most)d signals at once. Nothing was added.") % {"most": MOST},
            code="too_many",
        )
    checked: list[tuple[int, dict[str, Any]]] = []
    errors: list[tuple[int, StetError]] = []
    for number, row in rows:
        try:
            if isinstance(row, StetError):
                raise row
            checked.append((number, validated(shape, row)))
        except StetError as error:
            errors.append((number, error))
    episodes = Episodes(project, [row for _number, row in checked])
    items: list[tuple[int, Episode, Said]] = []
    for number, row in checked:
        try:
            episode = episodes.of(row)
            items.append((number, episode, _said(episodes.located(episode), row)))
        except StetError as error:
            errors.append((number, error))
    outcome = signals_add(project=project, author=user, items=items)
    outcome.errors = [*errors, *outcome.errors]
    return outcome


class Episodes:
    """The episodes that rows name, each read and laid out once."""

    def __init__(self, project: Project, rows: Sequence[dict[str, Any]]) -> None:
        mine = Episode.objects.filter(task__project=project).select_related("task", "policy")
        ids = {row["episode"] for row in rows if "episode" in row}
        names = {row["external_id"] for row in rows if "external_id" in row}
        self.by_id = mine.in_bulk(ids)
        named = mine.filter(task__external_id__in=names, round=1).order_by("-pk")
        self.by_name = {episode.task.external_id: episode for episode in named}
        self._located: dict[int, Located] = {}

    def of(self, row: dict[str, Any]) -> Episode:
        """Raises Invalid unless the row names one episode, NotFound for none of the project."""
        if ("episode" in row) == ("external_id" in row):
            raise Invalid(_("Name either the episode or its external_id."), code="which_episode")
        if "episode" in row:
            episode = self.by_id.get(row["episode"])
        else:
            episode = self.by_name.get(row["external_id"])
        if episode is None:
            raise NotFound(_("There is no such episode in this project."))
        return episode

    def located(self, episode: Episode) -> Located:
        if episode.pk not in self._located:
            self._located[episode.pk] = located(episode)
        return self._located[episode.pk]


def _said(where: Located, row: dict[str, Any]) -> Said:
    return Said(
        place=_place(where, row.get("at") or {}),
        kind=row["kind"],
        value=row["value"],
        source=row["source"],
        version=row["version"],
        key=row.get("key", ""),
        evidence=row.get("evidence") or {},
    )


def _place(where: Located, at: dict[str, Any]) -> Place:
    """The span that ``at`` names. Raises Invalid where there is none."""
    ways = [name for name in NAMED if name in at]
    positions = "start" in at or "end" in at
    if len(ways) + positions > 1 or ("segment" in at and not positions):
        raise Invalid(_("Say where in one way: a number, or positions."), code="which_span")
    try:
        if positions:
            return _tokens(where, at)
        found = getattr(where, ways[0])(at[ways[0]]) if ways else where.whole()
    except (IndexError, KeyError):
        raise Invalid(_("The episode has no such place."), code="no_such_span") from None
    if found is None:
        raise Invalid(_("This step has no text that a span could cover."), code="no_such_span")
    place: Place = found
    return place


def _tokens(where: Located, at: dict[str, Any]) -> Place:
    """Positions of the head's path, or of the path of a named segment of the same tree."""
    if "segment" not in at:
        return where.tokens(at["start"], at["end"])
    path = path_found(at["segment"])
    own: Segment = where.path.tip.segment
    if path is None or (path.root.task_id, path.root.round) != (own.task_id, own.round):
        raise IndexError(at["segment"])
    return Located(path, where.run, {}, {}).tokens(at["start"], at["end"])
