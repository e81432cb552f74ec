"""What a person's choice at a place means: a candidate, typed text, or the end of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from stet.common.errors import Invalid
from stet.common.packing import unpack_floats, unpack_ids
from stet.policies.clusters import cluster_starts
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from stet.traces import selectors
from stet.traces.models import Correction, Episode, Generation, Origin, Segment
from stet.traces.paths import ANSWER, Path

MAX_TEXT = 20_000
# A character has at most four bytes, so its cluster never reaches further back than this.
WINDOW = 8
SEAM = 32
How = Correction.How


class PastEnd(Invalid):
    code, title = "past_end", gettext_lazy("There is no token at this place")


class SameToken(Invalid):
    code, title = "same_token", gettext_lazy("This is what already stands there")


class NotACandidate(Invalid):
    code, title = "not_a_candidate", gettext_lazy("This token is not among the stored candidates")


class UnknownToken(Invalid):
    code, title = "unknown_token", gettext_lazy("The vocabulary has no such token")


class NotCorrectable(Invalid):
    code, title = "not_correctable", gettext_lazy("This part was not written by an assistant")


@dataclass(frozen=True)
class Place:
    """A token of a path that a person named, and what is known about it."""

    episode: Episode
    path: Path
    segment: Segment
    index: int
    tokenizer: Tokenizer
    eos: Sequence[int]
    running: Generation | None = None
    """The generation of the segment while it is in the making."""

    @property
    def position(self) -> int:
        return self.segment.start + self.index

    @property
    def token(self) -> int:
        return self.path.ids[self.position]


@dataclass(frozen=True)
class Accepted:
    """The replacement: ids [n] at an absolute position, and how it came about."""

    position: int
    ids: tuple[int, ...]
    rejected: tuple[int, ...]
    origin: Origin
    how: str
    logprobs: tuple[float, ...] | None = None
    rank: int | None = None
    canonical: bool = True
    text: str = ""


def locate(
    episode: Episode,
    path: Path,
    segment: Segment,
    index: int,
    running: Generation | None = None,
) -> Place:
    """The place, if there is a token of an assistant. Raises PastEnd or NotCorrectable."""
    if not 0 <= index < segment.length:
        raise PastEnd(
            ngettext(
                "This segment has %(count)d token; nothing was changed.",
                "This segment has %(count)d tokens; nothing was changed.",
                segment.length,
            )
            % {"count": segment.length}
        )
    assert episode.policy is not None
    tokenizer = load_tokenizer(Folder(episode.policy.tokenizer_dir))
    place = Place(episode, path, segment, index, tokenizer, episode.policy.eos_token_ids, running)
    if segment.origin not in ANSWER:
        spans = selectors.spans_of(path)
        inside = any(
            span.role == "assistant" and span.start <= place.position < span.end for span in spans
        )
        if not inside or place.position == 0:
            raise NotCorrectable(_("Only an assistant's tokens can be corrected."))
    return place


def choose(place: Place, choice: dict[str, Any]) -> Accepted:
    """The replacement for ``{"candidate": id}``, ``{"text": …}`` or ``{"end": true}``."""
    if "candidate" in choice:
        accepted = picked(place, choice["candidate"])
    elif "text" in choice:
        accepted = typed(place, choice["text"])
    else:
        accepted = end_here(place)
    if accepted.ids == accepted.rejected:
        raise SameToken(
            _("To sample anew from here, move the head to this place and continue instead.")
        )
    return accepted


def stored_candidates(place: Place) -> dict[int, tuple[float, int | None]]:
    """Token id -> (log-probability, rank from 1; None outside the list) at the place."""
    source = selectors.candidates_at(place.segment, place.index)
    if source is None:
        return {}
    segment, index = source
    live = place.running if segment.pk == place.segment.pk else None
    _, ids, logprobs = selectors.candidate_lists(segment, live, index, index + 1)
    found: dict[int, tuple[float, int | None]] = {}
    for rank, (token, logprob) in enumerate(zip(ids, logprobs, strict=True), start=1):
        if token >= 0:
            found[token] = (logprob, rank)
    sampled, score = _sampled(segment, index)
    if sampled not in found and score is not None:
        found[sampled] = (score, None)
    return found


def _sampled(segment: Segment, index: int) -> tuple[int, float | None]:
    token = unpack_ids(bytes(segment.ids)[4 * index : 4 * index + 4])[0]
    if segment.logprobs is None:
        return token, None
    return token, unpack_floats(bytes(segment.logprobs)[4 * index : 4 * index + 4])[0]


def picked(place: Place, token: int) -> Accepted:
    """A candidate of the model, with the log-probability that it had."""
    if not 0 <= token < place.tokenizer.vocab_size:
        raise UnknownToken(
            _("Token ids run from 0 to %(last)d.") % {"last": place.tokenizer.vocab_size - 1}
        )
    known = stored_candidates(place)
    if token not in known and token != place.token:
        raise NotACandidate(_("Type the text instead; nothing was changed."))
    logprob, rank = known.get(token, (0.0, None))
    return Accepted(
        position=place.position,
        ids=(token,),
        rejected=(place.token,),
        origin=Origin.CANDIDATE,
        how=_how(place, token, How.PICK),
        logprobs=(logprob,),
        rank=rank,
    )


def end_here(place: Place) -> Accepted:
    """The first end token of the policy: a candidate if it was stored as one, else a person's."""
    token = place.eos[0]
    known = stored_candidates(place)
    logprob, rank = known.get(token, (None, None))
    return Accepted(
        position=place.position,
        ids=(token,),
        rejected=(place.token,),
        origin=Origin.HUMAN if logprob is None else Origin.CANDIDATE,
        how=How.END_HERE,
        logprobs=None if logprob is None else (logprob,),
        rank=rank,
    )


def typed(place: Place, text: str) -> Accepted:
    """Typed text, encoded alone, from the first token of the character cluster at the place."""
    if not text:
        raise Invalid(_("Type at least one character; nothing was changed."), code="empty_text")
    if len(text) > MAX_TEXT:
        raise Invalid(
            _("Typed text has at most %(count)d characters.") % {"count": MAX_TEXT},
            code="text_too_long",
        )
    first, last = cluster(place)
    ids = tuple(place.tokenizer.encode(text))
    return Accepted(
        position=first,
        ids=ids,
        rejected=tuple(place.path.ids[first:last]),
        origin=Origin.HUMAN,
        how=_how(place, ids[0], How.TYPE),
        canonical=_canonical(place, first, ids, text),
        text=text,
    )


def cluster(place: Place) -> tuple[int, int]:
    """The half-open positions of the character cluster that the place lies in."""
    ids = place.path.ids
    low = max(place.position - WINDOW, 1)
    high = min(place.position + WINDOW, len(ids))
    pieces = [place.tokenizer.token_bytes(token) for token in ids[low:high]]
    starts = cluster_starts(pieces)
    own = starts[place.position - low]
    end = next(
        (i for i in range(place.position - low + 1, len(starts)) if starts[i] != own), len(starts)
    )
    return low + own, low + end


def _how(place: Place, token: int, otherwise: str) -> str:
    if token in place.eos:
        return How.END_HERE
    return How.GO_ON if place.token in place.eos else otherwise


def _canonical(place: Place, position: int, ids: Sequence[int], text: str) -> bool:
    """Whether encoding the text before the place and the typed text together gives these ids."""
    before = list(place.path.ids[max(position - SEAM, 0) : position])
    for at in range(len(before) - 1, -1, -1):
        if place.tokenizer.is_special(before[at]):
            before = before[at + 1 :]
            break
    whole = place.tokenizer.encode(place.tokenizer.text_of(before) + text)
    return whole[-len(ids) - 1 :] == [*before, *ids][-len(ids) - 1 :]
