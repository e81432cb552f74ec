"""Locate and correct: what stood at (segment, index) is replaced, and the head goes on from there.

One transaction: lock the episode, check ``if_head``, append the segment, allocate the next
generation, move the head. The model is asked as soon as nothing but the database can refuse.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.common.transactions import joins_act
from stet.traces import choices, selectors
from stet.traces.choices import Accepted, Place
from stet.traces.digests import seen_digest
from stet.traces.models import (
    Act,
    Correction,
    CorrectionReason,
    Episode,
    Generation,
    Origin,
    Segment,
)
from stet.traces.paths import Path
from stet.traces.services.episode import episode_lock, episode_move
from stet.traces.services.generation import ContextFull, generation_ask, generation_begin
from stet.traces.services.head import path_in, paths_at
from stet.traces.services.lookahead import (
    Claim,
    NotWhatYouSaw,
    left_to_sample,
    lookahead_check,
    lookahead_drop,
    lookahead_take,
)
from stet.traces.services.segment import segment_append
from stet.traces.streams.live import Request


@dataclass(frozen=True)
class Made:
    """What a correction left; ``ahead`` is the look-ahead that was taken with it."""

    correction: Correction
    episode: Episode
    generation: Generation | None
    ahead: Segment | None = None


@joins_act
def correction_make(
    *,
    user: Any,
    episode_id: int,
    if_head: int,
    segment_id: UUID,
    index: int,
    choice: dict[str, Any],
    reason: str = "",
    seen: dict[str, Any] | None = None,
    active_ms: int | None = None,
    go_on: bool = True,
    claim: Claim | None = None,
) -> Made:
    """Replace the token at (segment, index) by ``choice`` and continue, unless it ends there.

    A ``claim`` takes a look-ahead with its candidate: its tokens follow, and then it goes on.

    Raises Stale, NotOpen, NotWhatYouSaw, PastEnd, SameToken, NotACandidate, UnknownToken,
    NotCorrectable or ContextFull; in every case nothing was changed.
    """
    episode = episode_lock(episode_id, if_head)
    if episode.policy is None:
        raise Invalid(_("This episode was not sampled here: it has no policy."), code="no_policy")
    path, shown = paths_at(episode, segment_id)
    segment = path.tip.segment
    if seen is not None:
        _check_seen(shown, seen, segment.start + index)
    place = choices.locate(episode, path, segment, index)
    accepted = choices.choose(place, choice)
    cut = path.cut(accepted.position)
    if cut.length + len(accepted.ids) > episode.policy.max_len:
        raise ContextFull(
            _("%(policy)s takes %(count)d tokens; nothing was changed.")
            % {"policy": episode.policy, "count": episode.policy.max_len}
        )
    request = None
    if go_on and not (claim is not None and claim.ids):
        request = _ask(episode, cut.ids + array("i", accepted.ids))
    new = segment_append(
        episode=episode,
        path=cut,
        ids=accepted.ids,
        origin=accepted.origin,
        logprobs=accepted.logprobs,
        policy_id=episode.policy_id if accepted.origin == Origin.CANDIDATE else None,
    )
    correction = _record(user, episode, path, new, place, accepted, seen, active_ms)
    if reason:
        correction_reason(user=user, correction=correction, reason=reason)
    onward = selectors.extend(cut, new)
    ahead = None
    if claim is not None and claim.ids:
        ahead = lookahead_take(episode, claim, at=(segment_id, index), picked=new)
        onward = selectors.extend(onward, ahead)
        request = _ask(episode, onward.ids, left_to_sample(episode, ahead)) if go_on else None
    generation = None
    head: tuple[UUID, int | None] = (onward.tip.segment.pk, onward.tip.length)
    if request is not None:
        generation = generation_begin(episode=episode, path=onward, request=request)
        head = (generation.segment_id, None)
    lookahead_drop(episode)
    episode.active_ms += active_ms or 0
    episode_move(episode, Act.Kind.CORRECT, user, head=head)
    return Made(correction, episode, generation, ahead)


def _ask(episode: Episode, prompt: Sequence[int], most: int | None = None) -> Request | None:
    """The request for at most ``most`` tokens behind ``prompt``; None where nothing may follow."""
    policy = episode.policy
    assert policy is not None
    if prompt[-1] in policy.eos_token_ids or len(prompt) >= policy.max_len:
        return None
    if most is None:
        return generation_ask(episode=episode, prompt=prompt)
    if most < 1:
        return None
    return generation_ask(episode=episode, prompt=prompt, sampling={"max_tokens": most})


def correction_check(
    *,
    episode: Episode,
    running: Generation,
    segment_id: UUID,
    index: int,
    choice: dict[str, Any],
    seen: dict[str, Any] | None,
    claim: Claim | None,
) -> None:
    """Raise what `correction_make` will, before the stream at the head is stopped for it."""
    if episode.policy is None:
        return
    path, shown = paths_at(episode, segment_id)
    segment = path.tip.segment
    if seen is not None:
        _check_seen(shown, seen, segment.start + index)
    own = running if running.segment_id == segment.pk else None
    choices.choose(choices.locate(episode, path, segment, index, own), choice)
    if claim is not None and claim.ids:
        lookahead_check(episode, claim, at=(segment_id, index), token=choice.get("candidate"))


def _check_seen(path: Path, seen: dict[str, Any], position: int) -> None:
    """What the page showed up to the place must be what is stored."""
    upto = int(seen["upto"])
    known = path.ids
    if upto > len(known) or seen["digest"] != seen_digest(known[:upto]):
        raise NotWhatYouSaw(
            _(
                "The page showed other tokens than the ones that are stored. Nothing was changed; "
                "load the episode again."
            ),
            position=position,
        )


def _record(
    user: Any,
    episode: Episode,
    path: Path,
    new: Any,
    place: Place,
    accepted: Accepted,
    seen: dict[str, Any] | None,
    active_ms: int | None,
) -> Correction:
    at, index = path.at(accepted.position)
    return Correction.objects.create(
        episode=episode,
        segment=at,
        index=index,
        position=accepted.position,
        rejected=list(accepted.rejected),
        accepted=list(accepted.ids),
        new_segment=new,
        how=accepted.how,
        rank=accepted.rank,
        canonical=accepted.canonical,
        typed_text=accepted.text,
        active_ms=active_ms,
        seen=seen,
        author=user,
    )


def correction_reason(*, user: Any, correction: Correction, reason: str) -> CorrectionReason:
    """Say why, after the fact; the latest reason counts."""
    return CorrectionReason.objects.create(correction=correction, reason=reason, author=user)


def preview(*, episode: Episode, segment_id: UUID, index: int, text: str) -> Accepted:
    """The tokens that typed text would become at a place; writes nothing."""
    if episode.policy is None:
        raise Invalid(_("This episode was not sampled here: it has no policy."), code="no_policy")
    path = selectors.head_path(episode)
    if path.tip.segment.pk == segment_id:
        segment = path.tip.segment
    else:
        path = path_in(episode, segment_id)
        segment = path.tip.segment
    place = choices.locate(episode, path, segment, index)
    return choices.typed(place, text)
