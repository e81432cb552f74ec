"""Episodes begin at a rendered task; every accepted act grows their version by one."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from stet.common.errors import Conflict, Invalid, Stale
from stet.common.packing import pack_ids
from stet.policies.chat import load_chat_template
from stet.policies.models import PolicyVersion
from stet.policies.sampling import Sampling
from stet.projects.models import Task
from stet.projects.page_data import STATES
from stet.traces import selectors
from stet.traces.digests import segment_digest
from stet.traces.models import Act, Episode, Origin, Segment, Span

# The episode, its act, and the notice of stet.common.changes, in one trip.
MOVE = """
WITH moved AS (
  UPDATE traces_episode SET version = %s, head_segment_id = %s, head_length = %s, status = %s,
                            active_ms = %s, updated_at = now()
  WHERE id = %s RETURNING id, version, head_segment_id, head_length
), acted AS (
  INSERT INTO traces_act
         (episode_id, version, head_segment_id, head_length, kind, author_id, note, created_at)
  SELECT id, version, head_segment_id, head_length, %s, %s, %s, now() FROM moved
)
SELECT pg_notify('stet_changes', concat_ws(' ', 'episode', %s::bigint, %s::int))
"""
WORKABLE = frozenset({Episode.Status.OPEN, Episode.Status.RETURNED, Episode.Status.LATER})


class NotOpen(Conflict):
    code, title = "not_open", gettext_lazy("This episode is closed for corrections")


class PromptTooLong(Invalid):
    code, title = "prompt_too_long", gettext_lazy("The prompt leaves no room for an answer")


@transaction.atomic
def episode_begin(
    *,
    task: Task,
    author: Any,
    policy: PolicyVersion,
    sampling: dict[str, Any] | None = None,
    round: int = 1,
) -> Episode:
    """A new attempt at a task, its head at the end of the rendered prompt. Freezes the task."""
    limits = {key: task.limits[key] for key in ("max_tokens",) if key in task.limits}
    parsed = Sampling.parse({**limits, **(sampling or {})})
    root = root_segment(task=task, policy=policy, round=round)
    if root.length >= policy.max_len:
        raise PromptTooLong(
            ngettext(
                "The prompt has %(count)d token; %(policy)s takes %(most)d with the answer.",
                "The prompt has %(count)d tokens; %(policy)s takes %(most)d with the answer.",
                root.length,
            )
            % {"count": root.length, "policy": policy, "most": policy.max_len}
        )
    Task.objects.filter(pk=task.pk, frozen_at__isnull=True).update(frozen_at=Now())
    episode = Episode.objects.create(
        task=task,
        round=round,
        author=author,
        policy=policy,
        sampling=parsed.as_dict(),
        head_segment=root,
        head_length=root.length,
    )
    act_record(episode, Act.Kind.BEGIN, author)
    return episode


def root_segment(*, task: Task, policy: PolicyVersion, round: int) -> Segment:
    """The task as the policy's template renders it; everybody in a round shares the same ids."""
    Task.objects.select_for_update(of=("self",)).get(pk=task.pk)
    rendered = load_chat_template(Folder(policy.tokenizer_dir)).render(task.messages, task.tools)
    ids = pack_ids(rendered.ids)
    digest = segment_digest(
        parent_digest=None,
        fork_at=None,
        origin=Origin.PROMPT,
        policy_id=None,
        ids=ids,
        logprobs=None,
    )
    roots = Segment.objects.filter(
        task=task,
        round=round,
        parent=None,
        episode=None,
        tokenizer_sha256=policy.tokenizer_sha256,
        digest=digest,
    )
    existing = roots.first()
    if existing is not None:
        return existing
    root = Segment.objects.create(
        task=task,
        round=round,
        start=0,
        length=len(rendered.ids),
        origin=Origin.PROMPT,
        tokenizer_sha256=policy.tokenizer_sha256,
        ids=ids,
        digest=digest,
    )
    Span.objects.bulk_create(
        Span(
            segment=root,
            level=Span.Level.MESSAGE,
            role=span.role,
            ordinal=span.index,
            start=span.start,
            end=span.end,
        )
        for span in rendered.spans
        if span.end > span.start
    )
    return root


def episode_lock(episode_id: int, if_head: int, *, workable: bool = True) -> Episode:
    """The episode, locked until the end of the transaction, if it is still as the person saw it.

    Raises Stale (412) with the current version, NotOpen (409) for closed work.
    """
    episode = selectors.episode_locked(episode_id)
    if episode.version != if_head:
        raise Stale(
            _(
                "The episode moved on in another tab or by another act. Nothing was changed; "
                "look at what it is now and repeat the act if it still makes sense."
            ),
            current=current(episode),
        )
    if workable:
        episode_workable(episode)
    return episode


def episode_workable(episode: Episode) -> None:
    """Raise NotOpen for closed work."""
    if episode.status not in WORKABLE:
        raise NotOpen(
            _("The episode is %(state)s. Reopen it to go on; nothing was changed.")
            % {"state": state_name(episode)}
        )


def state_name(episode: Episode) -> str:
    """The state of an episode, in the reader's language."""
    return str(STATES[episode.status])


def current(episode: Episode) -> dict[str, Any]:
    """What a client needs to see that it is behind."""
    return {
        "id": episode.pk,
        "version": episode.version,
        "status": episode.status,
        "head": {"segment": str(episode.head_segment_id), "length": episode.head_length},
    }


def episode_move(
    episode: Episode,
    kind: Act.Kind,
    author: Any,
    *,
    head: tuple[UUID, int | None] | None = None,
    status: str | None = None,
    note: str = "",
) -> None:
    """Record an accepted act on a locked episode: version + 1, a new head or status."""
    episode.version += 1
    if head is not None:
        episode.head_segment_id, episode.head_length = head
    if status is not None:
        episode.status = status
    moved = (episode.version, episode.head_segment_id, episode.head_length, episode.status)
    with connection.cursor() as cursor:
        told = [episode.pk, episode.version]
        act = [kind.value, author.pk, note]
        cursor.execute(MOVE, [*moved, episode.active_ms, episode.pk, *act, *told])


def act_record(episode: Episode, kind: Act.Kind, author: Any, note: str = "") -> Act:
    return Act.objects.create(
        episode=episode,
        version=episode.version,
        kind=kind,
        head_segment_id=episode.head_segment_id,
        head_length=episode.head_length,
        author=author,
        note=note,
    )
