"""Continuing: a request to the model, and a generation row in the transaction of the act."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path as Folder
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import Conflict, Invalid, Unavailable
from stet.common.ids import new_id
from stet.common.transactions import joins_act, on_rollback
from stet.policies.clusters import TextRows
from stet.policies.sampling import Sampling
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Task
from stet.traces import selectors
from stet.traces.models import Act, Episode, Generation
from stet.traces.paths import Path
from stet.traces.sealing import generations_sweep
from stet.traces.services.episode import episode_lock, episode_move, episode_workable
from stet.traces.streams import notices
from stet.traces.streams.live import Request
from stet.traces.streams.replay import replay_of
from stet.traces.streams.runtime import hub

STOP_TIMEOUT = 20.0


class Ended(Conflict):
    code, title = "ended", gettext_lazy("The answer has ended here")


class Running(Conflict):
    code, title = "running", gettext_lazy("The answer is still arriving")


class ContextFull(Invalid):
    code, title = "context_full", gettext_lazy("The context of the policy is full")


@joins_act
def continue_from_head(
    *, user: Any, episode_id: int, if_head: int, sampling: dict[str, Any] | None = None
) -> tuple[Episode, Generation]:
    """Sample on from the head. Raises Ended, Running, ContextFull, Stale, NotOpen."""
    episode = episode_lock(episode_id, if_head)
    head = selectors.head_resolved(episode.head_segment_id, episode.head_length)
    if head is None:
        raise Running(_("Stop it or correct it first; nothing was changed."))
    path = selectors.path_to(*head)
    if episode.policy is not None and path.ids[-1] in episode.policy.eos_token_ids:
        raise Ended(_("Correct the end token, or add a turn; nothing was changed."))
    shared = _shared_first(episode, path)
    if shared is not None:
        episode_move(episode, Act.Kind.CONTINUE, user, head=(shared.segment_id, None))
        return episode, shared
    known = known_first(episode, path)
    request = generation_ask(episode=episode, prompt=path.ids, sampling=sampling, known=known)
    generation = generation_begin(episode=episode, path=path, request=request)
    episode_move(episode, Act.Kind.CONTINUE, user, head=(generation.segment_id, None))
    return episode, generation


def _shared_first(episode: Episode, path: Path) -> Generation | None:
    """With overlap, everybody starts from the same first answer; it is replayed, not resampled."""
    if episode.task.overlap < 2 or len(path.pieces) > 1:
        return None
    # Of two people who begin at once, the second waits here and finds what the first began.
    Task.objects.select_for_update(no_key=True).get(pk=episode.task_id)
    arriving = Q(status=Generation.Status.RUNNING) | Q(n_tokens__gt=0)
    first = Generation.objects.filter(
        arriving,
        task_id=episode.task_id,
        round=episode.round,
        parent=path.root,
        fork_at=path.length,
    )
    return first.order_by("created_at").first()


def known_first(episode: Episode, path: Path) -> Generation | None:
    """Where it is known what is right of an answer, everybody is given that answer."""
    gold = episode.task.gold
    if gold is None or len(path.pieces) > 1:
        return None
    found = Generation.objects.filter(pk=gold["generation"], policy=episode.policy)
    return found.filter(parent=path.root, fork_at=path.length).first()


def request_for(
    *, episode: Episode, prompt: Sequence[int], sampling: Sampling, **more: Any
) -> Request:
    """What the episode's policy is asked for behind ``prompt`` [T], under new ids."""
    policy = episode.policy
    assert policy is not None
    return Request(
        generation_id=new_id(),
        segment_id=new_id(),
        prompt=prompt,
        sampling=sampling,
        model=policy.served_name,
        vocab_size=policy.vocab_size,
        cache_salt=f"stetproject{episode.task.project_id:08d}",
        rows=TextRows.after(load_tokenizer(Folder(policy.tokenizer_dir)), prompt),
        **more,
    )


def generation_ask(
    *,
    episode: Episode,
    prompt: Sequence[int],
    sampling: dict[str, Any] | None = None,
    known: Generation | None = None,
) -> Request:
    """Ask the model for what comes behind ``prompt``, while the act is still being written.

    What arrives is kept back until the act is committed, and dropped if it fails. Call this once
    nothing but the database can refuse the act. The answer of ``known`` is given again instead.
    """
    hub().check()
    policy = episode.policy
    if policy is None:
        raise Invalid(_("This episode was not sampled here: it has no policy."), code="no_policy")
    room = policy.max_len - len(prompt)
    if room < 1:
        raise ContextFull(
            _("%(policy)s takes %(count)d tokens, and they are used up.")
            % {"policy": policy, "count": policy.max_len}
        )
    wanted = Sampling.parse(known.sampling if known else {**episode.sampling, **(sampling or {})})
    used = replace(wanted, max_tokens=min(wanted.max_tokens, room))
    replay = replay_of(known) if known else None
    request = request_for(episode=episode, prompt=prompt, sampling=used, replay=replay)
    on_rollback(lambda: hub().drop(request.generation_id))
    hub().ask(request)
    return request


def generation_begin(*, episode: Episode, path: Path, request: Request) -> Generation:
    """The row of a generation that was asked for behind ``path``; once committed, it is shown."""
    policy = episode.policy
    assert policy is not None
    assert len(request.prompt) == path.length
    generation = Generation.objects.create(
        pk=request.generation_id,
        segment_id=request.segment_id,
        task_id=episode.task_id,
        round=episode.round,
        episode=episode,
        parent=path.tip.segment,
        fork_at=path.tip.length,
        start=path.length,
        policy=policy,
        sampling=request.sampling.as_dict(),
        logprobs_mode=policy.logprobs_mode,
        engine={**policy.engine, **(request.replay.lineage if request.replay else {})},
        owner=hub().owner,
        heartbeat_at=Now(),
    )
    transaction.on_commit(lambda: hub().release(request.generation_id))
    return generation


def settle(
    *, episode: Episode, if_head: int, check: Callable[[Generation], None] | None = None
) -> None:
    """Before an act: stop what still arrives at the head, if the act will be allowed.

    Not part of the act's transaction: what had arrived is sealed first, then the act applies.
    A stale act, or one that ``check`` raises for, stops nothing; a head with a length is stored
    already.
    """
    if episode.version != if_head or episode.head_length is not None:
        return
    running = Generation.objects.filter(
        segment_id=episode.head_segment_id, status=Generation.Status.RUNNING
    ).first()
    if running is None:
        return
    if running.episode_id != episode.pk:
        raise Running(_("This answer is shared; wait for its end. Nothing was changed."))
    episode_workable(episode)
    if check is not None:
        check(running)
    generation_stop(running)


def generation_stop(
    generation: Generation, *, status: str = Generation.Status.STOPPED
) -> Generation:
    """Stop a stream wherever it is read, and wait until what arrived is sealed as ``status``."""
    if generation.ended_at is not None:
        return generation
    if not hub().stop(generation.pk, status, STOP_TIMEOUT):
        _stop_elsewhere(generation.pk, status)
    generation.refresh_from_db()
    return generation


def _stop_elsewhere(generation_id: UUID, status: str) -> None:
    Generation.objects.filter(pk=generation_id).update(stop_requested=True)
    notices.tell(status, generation_id)
    until = time.monotonic() + STOP_TIMEOUT
    while time.monotonic() < until:
        row = Generation.objects.filter(pk=generation_id, ended_at__isnull=True)
        if not row.exists():
            return
        time.sleep(0.02)
        generations_sweep()
    raise Unavailable(
        _(
            "The process that reads this answer does not react. Nothing was changed; try again "
            "in a few seconds."
        ),
        code="owner_silent",
        headers={"Retry-After": "5"},
    )
