"""Completion chunks to pieces: every chunk is checked whole before any of it is passed on."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

import orjson

from stet.policies.samplers.base import (
    CANDIDATES,
    NO_ID,
    Finish,
    ModelBroken,
    ModelLost,
    ModelRefused,
    Piece,
)
from stet.policies.samplers.reasons import clean

NAME = "token_id:"
# The server writes -inf as this number, because JSON has no infinities.
FLOOR = -9999.0
# A log-probability may come out a rounding error above zero.
ABOVE = 1e-3
INF = float("inf")
NAN = float("nan")
IDS_IN_32_BITS = 2**31
MOST_NAMES = 2**20
USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")


class _Ids(dict[str, int]):
    """Ids by the server's names for them ("token_id:42"), below ``limit``; filled as they come."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __missing__(self, name: str) -> int:
        token_id = int(name.removeprefix(NAME))
        if name != f"{NAME}{token_id}" or not 0 <= token_id < self._limit:
            raise ValueError("an id outside the vocabulary")
        if len(self) < MOST_NAMES:
            self[name] = token_id
        return token_id


@cache
def _names_below(limit: int) -> _Ids:
    """Shared by all streams of a vocabulary size."""
    return _Ids(limit)


class ChunkReader:
    """Reads the payloads of one completion stream in order.

    Refused with ModelBroken: other prompt ids than those sent, ids outside the vocabulary, a
    number that is no log-probability, lists of different lengths, a chunk that comes twice, more
    tokens than asked for, a count at the end that differs, anything that does not parse.
    """

    def __init__(
        self,
        prompt_ids: Sequence[int],
        *,
        max_tokens: int,
        vocab_size: int | None = None,
        k: int = CANDIDATES,
    ) -> None:
        self.done = False
        self.finish_reason: str | None = None
        self.count = 0
        self._stop_reason: str | int | None = None
        self._usage: dict[str, int] | None = None
        self._fingerprint: str | None = None
        self._prompt = array("i", prompt_ids)
        self._max_tokens = max_tokens
        self._id_of = _names_below(vocab_size or IDS_IN_32_BITS).__getitem__
        self._k = k
        self._offset = -1

    def read(self, payload: bytes) -> Piece | None:
        """The tokens of one payload, or None when it holds none."""
        if len(payload) < 16 and payload.strip() == b"[DONE]":
            self.done = True
            return None
        try:
            return self._chunk(orjson.loads(payload))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ModelBroken from error

    def finish(self) -> Finish:
        """The end of the stream; raises ModelLost if the stream stopped before it."""
        if self.finish_reason in (None, "abort", "error"):
            raise ModelLost
        if self._usage and self._usage.get("completion_tokens", self.count) != self.count:
            raise ModelBroken
        return Finish(self.finish_reason, self._stop_reason, self._usage, self._fingerprint)

    def _chunk(self, chunk: dict[str, Any]) -> Piece | None:
        if (error := chunk.get("error")) is not None:
            self._refuse(error)
        if (usage := chunk.get("usage")) is not None:
            self._usage = {name: int(usage[name]) for name in USAGE}
            if details := usage.get("prompt_tokens_details"):
                self._usage["cached_tokens"] = int(details.get("cached_tokens") or 0)
        if fingerprint := chunk.get("system_fingerprint"):
            self._fingerprint = clean(str(fingerprint), 100)
        if (choices := chunk["choices"]) == []:
            return None
        (choice,) = choices
        ids = choice["token_ids"]
        if self.finish_reason is not None or choice["index"] != 0:
            raise ValueError("a choice after the end, or a second one")
        if (echo := choice.get("prompt_token_ids")) is not None and echo != self._prompt.tolist():
            raise ValueError("the server read another prompt")
        piece = self._piece(ids, choice["logprobs"]) if ids else None
        if (reason := choice["finish_reason"]) is not None:
            self._end(reason, choice.get("stop_reason"))
        return piece

    def _piece(self, ids: list[int], given: dict[str, Any]) -> Piece:
        names, values, tops = given["tokens"], given["token_logprobs"], given["top_logprobs"]
        count = len(ids)
        self.count += count
        if not (count == len(names) == len(values) == len(tops)) or self.count > self._max_tokens:
            raise ValueError("lists of different lengths, or more tokens than asked for")
        if offsets := given.get("text_offset"):
            # The offset grows by each token's name: a chunk that comes twice does not grow it.
            if offsets[0] <= self._offset:
                raise ValueError("a chunk came twice")
            self._offset = offsets[-1]
        id_of = self._id_of
        rows, row_values = array("i"), array("f")
        for token_id, name, value, top in zip(ids, names, values, tops, strict=True):
            if token_id != id_of(name) or top[name] != value or value > ABOVE:
                raise ValueError("the sampled token contradicts itself")
            self._row(name, top, rows, row_values)
        if min(values) <= FLOOR:
            values = [_value(value) for value in values]
        return Piece(array("i", ids), array("f", values), rows, row_values, self._k)

    def _row(
        self, name: str, top: dict[str, float], rows: array[int], row_values: array[float]
    ) -> None:
        """Append the k candidates of one position, most likely first."""
        k = self._k
        if len(top) > k:
            # The sampled token lies outside the k most likely and is listed in addition.
            del top[name]
        values = sorted(came := list(top.values()), reverse=True)
        # Both sorts keep the order of equals, so that ids and values stay together.
        names = top if values == came else sorted(top, key=top.__getitem__, reverse=True)
        order = list(map(self._id_of, names))
        if len(order) != k:
            if len(order) > k:
                raise ValueError("more candidates than asked for")
            order += [NO_ID] * (k - len(order))
        if values[0] > ABOVE:
            raise ValueError("no log-probability")
        if values[-1] <= FLOOR:
            values = [_value(value) for value in values]
        rows.fromlist(order)
        row_values.fromlist(values if len(values) == k else values + [NAN] * (k - len(values)))

    def _end(self, reason: object, stop: object) -> None:
        if not isinstance(reason, str) or not isinstance(stop, str | int | None):
            raise TypeError("no reason for the end")
        self.finish_reason = clean(reason, 40)
        self._stop_reason = clean(stop, 200) if isinstance(stop, str) else stop

    def _refuse(self, error: Any) -> None:
        """Some refusals come as an event of a stream that began with status 200."""
        if isinstance(code := error.get("code"), int) and 400 <= code < 500:
            raise ModelRefused(clean(str(error.get("message") or "")))
        raise ModelLost if self.count else ModelBroken


def _value(value: float) -> float:
    return -INF if value <= FLOOR else value
