"""Look-ahead: what would follow a candidate, sampled while a person still reads the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import StetError
from stet.common.packing import unpack_ids
from stet.policies.sampling import Sampling
from stet.projects.switches import switches
from stet.traces import choices, sealing
from stet.traces.choices import Place, SameToken, UnknownToken
from stet.traces.models import Chunk, Episode, Generation, Origin, Segment
from stet.traces.services.episode import WORKABLE, NotOpen, state_name
from stet.traces.services.generation import request_for
from stet.traces.services.head import paths_at
from stet.traces.streams import notices
from stet.traces.streams.gate import LOW_PRIORITY
from stet.traces.streams.runtime import hub

Status = Generation.Status
LENGTH, LONGEST, MOST = 4, 16, 3


class NotWhatYouSaw(StetError):
    code, status = "not_what_you_saw", 412
    title = gettext_lazy("What is stored is not what the page showed")


@dataclass(frozen=True)
class Claim:
    """A look-ahead to be taken, and the ids [n] of it that the page had shown."""

    generation_id: UUID
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Begun:
    """``skipped`` says why some candidate has none: ``off`` or ``busy``."""

    generations: list[Generation]
    skipped: str | None = None


@transaction.atomic
def lookahead_begin(
    *,
    episode: Episode,
    segment_id: UUID,
    index: int,
    candidates: Sequence[int],
    length: int = LENGTH,
) -> Begun:
    """Sample a few tokens behind each of ``candidates``, as if it stood at (segment, index).

    What was sampled for the same place and candidate before, and not taken, is given again.
    Raises NotOpen, PastEnd, NotCorrectable, SameToken or UnknownToken.
    """
    if episode.status not in WORKABLE:
        state = state_name(episode)
        raise NotOpen(_("The episode is %(state)s. Reopen it to go on.") % {"state": state})
    if episode.policy is None or not switches(episode.task.project)["lookahead"]:
        return Begun([], "off")
    path, _shown = paths_at(episode, segment_id)
    place = choices.locate(episode, path, path.tip.segment, index)
    wanted = _wanted(place, candidates)
    mine = Generation.objects.filter(
        episode=episode,
        at_segment=segment_id,
        at_index=index,
        candidate__in=wanted,
        status=Status.LOOKAHEAD,
        error__isnull=True,
    )
    known = {g.candidate: g for g in mine if g.ended_at is None or g.n_tokens}
    missing = [token for token in wanted if token not in known]
    room = hub().ahead_room() if missing else 0
    sampling = Sampling.parse(episode.sampling)
    most = min(length, sampling.max_tokens, episode.policy.max_len - place.position - 1)
    if most > 0:
        short = replace(sampling, max_tokens=most)
        for token in missing[:room]:
            known[token] = _begin(place, segment_id, token, short)
    found = [known[token] for token in wanted if token in known]
    return Begun(found, "busy" if len(missing) > room else None)


def _wanted(place: Place, candidates: Sequence[int]) -> list[int]:
    """Those of the candidates that something can follow."""
    for token in candidates:
        if not 0 <= token < place.tokenizer.vocab_size:
            last = place.tokenizer.vocab_size - 1
            raise UnknownToken(_("Token ids run from 0 to %(last)d.") % {"last": last})
        if token == place.token:
            raise SameToken(_("What follows it is what the page shows already."))
    return [token for token in dict.fromkeys(candidates) if token not in place.eos]


def _begin(place: Place, segment_id: UUID, token: int, sampling: Sampling) -> Generation:
    hub().check()
    episode, policy = place.episode, place.episode.policy
    assert policy is not None
    request = request_for(
        episode=episode,
        prompt=[*place.path.ids[: place.position], token],
        sampling=sampling,
        priority=LOW_PRIORITY,
        ahead_in=episode.pk,
    )
    generation = Generation.objects.create(
        pk=request.generation_id,
        segment_id=request.segment_id,
        task_id=episode.task_id,
        round=episode.round,
        episode=episode,
        at_segment=segment_id,
        at_index=place.index,
        candidate=token,
        start=len(request.prompt),
        policy=policy,
        sampling=sampling.as_dict(),
        logprobs_mode=policy.logprobs_mode,
        engine=policy.engine,
        status=Status.LOOKAHEAD,
        owner=hub().owner,
        heartbeat_at=Now(),
    )
    transaction.on_commit(lambda: hub().submit(request))
    return generation


def lookahead_cancel(*, episode: Episode) -> int:
    """Ask every look-ahead of the episode to stop, wherever it is read; returns how many."""
    running = Generation.objects.filter(episode=episode, parent=None, ended_at=None)
    ids = list(running.values_list("pk", flat=True))
    if ids:
        Generation.objects.filter(pk__in=ids).update(stop_requested=True)
        for pk in ids:
            notices.tell(Status.STOPPED, pk)
        lookahead_drop(episode)
    return len(ids)


def lookahead_drop(episode: Episode) -> None:
    """After the commit, stop the episode's look-aheads that this process reads."""
    pk = episode.pk
    transaction.on_commit(lambda: hub().drop_ahead(pk))


def lookahead_take(
    episode: Episode, claim: Claim, *, at: tuple[UUID, int], picked: Segment
) -> Segment:
    """Make what has arrived of a look-ahead the segment behind the picked candidate.

    It holds at least the ids that were shown. Raises NotWhatYouSaw where it cannot.
    """
    rows = Generation.objects.select_for_update(of=("self",)).select_related("task")
    token = unpack_ids(picked.ids)[0] if picked.origin == Origin.CANDIDATE else None
    generation, chunks = _claimed(rows, episode, claim, at, token)
    generation.parent, generation.fork_at = picked, picked.length
    segment = sealing.segment_write(generation, chunks, seen_before_pick=True)
    if generation.ended_at is None:
        generation.ended_at = Now()
    if generation.finish_reason == "length" and left_to_sample(episode, segment) > 0:
        # Only the look-ahead was as short as this; the answer goes on.
        generation.finish_reason = ""
    generation.status = Status.DONE if generation.finish_reason else Status.STOPPED
    generation.owner, generation.n_tokens = None, segment.length
    generation.save(
        update_fields=[
            "parent",
            "fork_at",
            "status",
            "finish_reason",
            "owner",
            "n_tokens",
            "ended_at",
        ]
    )
    return segment


def lookahead_check(
    episode: Episode, claim: Claim, *, at: tuple[UUID, int], token: int | None
) -> None:
    """Raise what `lookahead_take` will."""
    _claimed(Generation.objects.all(), episode, claim, at, token)


def _claimed(
    rows: QuerySet[Generation],
    episode: Episode,
    claim: Claim,
    at: tuple[UUID, int],
    token: int | None,
) -> tuple[Generation, list[Chunk]]:
    """A look-ahead behind ``token`` at a place, and its log, which begins with what was shown."""
    mine = rows.filter(pk=claim.generation_id, episode=episode, parent=None, candidate=token)
    generation = mine.filter(at_segment=at[0], at_index=at[1]).first()
    chunks: list[Chunk] = []
    if generation is not None and token is not None:
        chunks = list(Chunk.objects.filter(generation=generation).order_by("start"))
    ids = [token for chunk in chunks for token in unpack_ids(chunk.ids)]
    if generation is None or tuple(ids[: len(claim.ids)]) != claim.ids:
        raise NotWhatYouSaw(
            _(
                "The look-ahead that the page showed behind this candidate is not there any more. "
                "Nothing was changed; choose again."
            )
        )
    return generation, chunks


def left_to_sample(episode: Episode, ahead: Segment | None) -> int:
    """How many tokens may still follow where some of the answer was sampled ahead."""
    most = int({**Sampling().as_dict(), **episode.sampling}["max_tokens"])
    return most - (ahead.length if ahead is not None else 0)
