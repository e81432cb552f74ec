"""What every source of tokens speaks: pieces of a stream, its end, and the ways it can fail."""

from __future__ import annotations

from array import array
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import StetError
from stet.policies.sampling import Sampling

# Candidates kept for each position; the servers are started with the same limit.
CANDIDATES = 20
NO_ID = -1


@dataclass(slots=True)
class Piece:
    """Tokens that arrived together: ``ids`` and ``logprobs`` [T], candidates [T * k] row by row.

    A row is sorted by falling log-probability and padded with NO_ID and NaN; what truncation cut
    has -inf. The sampled token is in its row only when it is among the k most likely.
    """

    ids: array[int]
    logprobs: array[float]
    candidate_ids: array[int]
    candidate_logprobs: array[float]
    k: int = CANDIDATES


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a stream; ``usage`` counts prompt, completion, total and cached tokens."""

    finish_reason: str | None
    stop_reason: str | int | None
    usage: dict[str, int] | None
    fingerprint: str | None = None


class Sampler(Protocol):
    """Draws a continuation of token ids from one model server."""

    def stream(
        self,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        *,
        model: str,
        priority: int = 0,
        cache_salt: str | None = None,
        first_timeout: float = 120.0,
        gap_timeout: float = 60.0,
        vocab_size: int | None = None,
    ) -> AsyncGenerator[Piece | Finish, None]:
        """Pieces, then one Finish. Closing the generator aborts the request on the server.

        ``first_timeout`` is the time to the first piece, ``gap_timeout`` between two, in seconds.
        Raises SamplerError; what was yielded before stays good.
        """
        ...

    async def waiting(self) -> int:
        """How many requests wait at the model server, of whomever. Raises SamplerError."""
        ...

    async def aclose(self) -> None:
        """Let go of all connections, at the end of the process."""
        ...


class SamplerError(StetError):
    """The model server failed; ``detail`` never repeats its answer, save a refusal's reason."""

    code, status = "model_broken", 502
    title = gettext_lazy("The model server did not do its part")

    def __init__(self, detail: str = "", **extra: Any) -> None:
        super().__init__(detail or self.explanation(), **extra)

    def explanation(self) -> str:
        return _("The model server sent something that cannot be right; it was not used.")


class ModelBroken(SamplerError):
    """The answer breaks the protocol or contradicts itself."""


class ModelUnreachable(SamplerError):
    code, status = "model_unreachable", 503

    def explanation(self) -> str:
        return _("The model server does not answer. Nothing was lost; please try again later.")


class ModelSlow(SamplerError):
    code, status = "model_slow", 504

    def explanation(self) -> str:
        return _("The model server took too long. What had arrived is kept.")


class ModelRefused(SamplerError):
    code, status = "model_refused", 502

    def explanation(self) -> str:
        return _("The model server refused the request.")


class ModelLost(SamplerError):
    """The stream was cut before its end."""

    code, status = "model_lost", 502

    def explanation(self) -> str:
        return _("The model server broke off. What had arrived is kept; you can continue from it.")
