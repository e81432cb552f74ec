"""Undo, redo and branches: the head moves, nothing is deleted."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stet.common.errors import Invalid, NotFound
from stet.common.transactions import joins_act
from stet.traces import selectors
from stet.traces.models import Act, Episode, Generation, Segment
from stet.traces.paths import Path, Piece
from stet.traces.services.episode import episode_lock, episode_move

KINDS = {"undo": Act.Kind.UNDO, "redo": Act.Kind.REDO, "move": Act.Kind.MOVE}


def segment_of(episode: Episode, segment_id: UUID) -> Segment:
    """A segment of the episode's own tree; others do not exist for it."""
    rows = Segment.objects.filter(pk=segment_id, task_id=episode.task_id, round=episode.round)
    segment = rows.first()
    if segment is None or segment.episode_id not in {None, episode.pk}:
        raise NotFound(_("This episode has no such segment."), code="no_such_segment")
    return segment


def path_in(episode: Episode, segment_id: UUID) -> Path:
    """The path of a segment of the episode's own tree; raises NotFound for others."""
    path = selectors.path_found(segment_id)
    segment = path.tip.segment if path is not None else None
    if (
        path is None
        or segment is None
        or (segment.task_id, segment.round) != (episode.task_id, episode.round)
        or segment.episode_id not in {None, episode.pk}
    ):
        raise NotFound(_("This episode has no such segment."), code="no_such_segment")
    return path


def paths_at(episode: Episode, segment_id: UUID) -> tuple[Path, Path]:
    """The whole path of a segment, and the one that the page showed: the head's, if it has it."""
    shown = selectors.head_path(episode)
    for number, piece in enumerate(shown.pieces):
        if piece.segment.pk == segment_id:
            whole = Piece(piece.segment, piece.segment.length)
            return Path((*shown.pieces[:number], whole)), shown
    path = path_in(episode, segment_id)
    return path, path


@joins_act
def head_move(
    *, user: Any, episode_id: int, if_head: int, segment_id: UUID, length: int, how: str = "move"
) -> Episode:
    """Make position ``length`` of the segment the tip of the episode; nothing is deleted."""
    episode = episode_lock(episode_id, if_head)
    segment = segment_of(episode, segment_id)
    _check_length(segment, length)
    _check_target(episode, (segment.pk, length), how)
    episode_move(episode, KINDS[how], user, head=(segment.pk, length))
    return episode


def head_check(
    *, episode: Episode, running: Generation, segment_id: UUID, length: int, how: str
) -> None:
    """Raise what `head_move` will, before the stream at the head is stopped for it."""
    if segment_id != running.segment_id:
        _check_length(segment_of(episode, segment_id), length)
    _check_target(episode, (segment_id, length), how)


def _check_target(episode: Episode, target: tuple[UUID, int], how: str) -> None:
    """Undo and redo go to the head that the record of acts names, and nowhere else."""
    if how == "move":
        return
    undo, redo = selectors.undo_redo(episode)
    wanted = undo if how == "undo" else redo
    if wanted is None or selectors.head_resolved(*wanted) != target:
        raise Invalid(
            _("That is not what this would bring back; nothing was changed."),
            code="not_the_target",
        )


def _check_length(segment: Segment, length: int) -> None:
    if not 1 <= length <= segment.length:
        raise Invalid(
            ngettext(
                "This segment has %(count)d token; nothing was changed.",
                "This segment has %(count)d tokens; nothing was changed.",
                segment.length,
            )
            % {"count": segment.length},
            code="past_end",
        )
