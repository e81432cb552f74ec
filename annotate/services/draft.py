"""Drafts: answers before they are handed in, and the time that went by."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotate.answers import draft_checked
from annotate.models import Draft
from annotate.selectors.questions import question_keys
from stet.common.changes import tell_changed
from stet.common.errors import Stale
from stet.traces import selectors
from stet.traces.models import Episode
from stet.traces.services.episode import WORKABLE, NotOpen, state_name


class StaleDraft(Stale):
    code = "stale_draft"


@transaction.atomic
def draft_save(
    *,
    episode_id: int,
    if_version: int,
    answers: dict[str, Any],
    active_ms: int = 0,
    idle_ms: int = 0,
) -> Draft:
    """The next version of the draft. Raises StaleDraft (412) with the current one, NotOpen."""
    episode = selectors.episode_locked(episode_id)
    draft = draft_now(episode)
    if draft.version != if_version:
        raise StaleDraft(
            _("Another tab saved these answers meanwhile. Nothing was overwritten."),
            current=draft_document(draft, episode),
        )
    if episode.status not in WORKABLE:
        raise NotOpen(
            _("The episode is %(state)s. Reopen it to go on; nothing was changed.")
            % {"state": state_name(episode)}
        )
    draft.answers = draft_checked(question_keys(episode.task.project_id), answers)
    time_add(episode, draft, active_ms, idle_ms)
    return draft_write(draft)


def draft_now(episode: Episode) -> Draft:
    """The draft of a locked episode."""
    return Draft.objects.filter(episode=episode).first() or Draft(episode=episode)


def draft_write(draft: Draft) -> Draft:
    draft.version += 1
    draft.save()
    tell_changed("draft", draft.episode_id, draft.version)
    return draft


def time_add(episode: Episode, draft: Draft, active_ms: int, idle_ms: int) -> None:
    """Add what went by since the last report, once: each report is part of one act."""
    draft.idle_ms += idle_ms
    if active_ms:
        episode.active_ms += active_ms
        Episode.objects.filter(pk=episode.pk).update(active_ms=F("active_ms") + active_ms)


def draft_document(draft: Draft, episode: Episode) -> dict[str, Any]:
    return {
        "version": draft.version,
        "answers": draft.answers,
        "active_ms": episode.active_ms,
        "idle_ms": draft.idle_ms,
        "updated_at": draft.updated_at,
    }
