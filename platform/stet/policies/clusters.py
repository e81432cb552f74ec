"""Characters that span tokens: clusters of tokens, and text rows that never tear a character."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Iterable, Sequence
from functools import lru_cache

from stet.policies.tokenizer import Tokenizer

Row = list[int | str | None]
"""[id, text, hex or None]; hex is the token's own bytes, where those are not whole characters."""


def cluster_starts(pieces: Sequence[bytes]) -> list[int]:
    """For each token the index of its cluster's first token.

    Two neighbours are in one cluster when a character spans them, or a run of bytes that began
    like a character and broke off: the units that U+FFFD stands for. The answer for a token
    depends on the tokens before it and on itself only.
    """
    starts: list[int] = []
    start, tail = 0, b""
    for index, piece in enumerate(pieces):
        if tail or not piece.isascii():
            linked, tail = _step(tail, piece)
            start = start if linked else index
        else:
            start = index
        starts.append(start)
    return starts


class TextRows:
    """Rows of a stream of ids. The texts of all rows, and `pending` decoded, are the whole text.

    `pending` holds the bytes of the cluster that is not whole yet. How the ids are cut into calls
    changes nothing.
    """

    def __init__(self, tokenizer: Tokenizer, pending: bytes = b"") -> None:
        self.pending = pending
        self._tokenizer = tokenizer

    @classmethod
    def after(cls, tokenizer: Tokenizer, prefix: Sequence[int]) -> TextRows:
        """Rows that go on behind the ids of a prefix."""
        first = len(prefix)
        while first and (tail := _tail(tokenizer.bytes_of(_last(tokenizer, prefix, first)))):
            if first < len(prefix) and not _continues(tail, tokenizer.pieces[prefix[first]]):
                break
            first -= 1
        return cls(tokenizer, tokenizer.bytes_of(prefix[first:]))

    def feed(self, ids: Iterable[int]) -> list[Row]:
        """One row for each id; an id outside the vocabulary is StetError `bad_token`."""
        whole, size, pending = self._tokenizer.whole, self._tokenizer.vocab_size, self.pending
        rows: list[Row] = []
        for token_id in ids:
            if not 0 <= token_id < size:
                self._tokenizer.token_bytes(token_id)
            text = whole[token_id]
            if text is not None and not pending:
                rows.append([token_id, text, None])
                continue
            piece = self._tokenizer.pieces[token_id]
            shown, pending = _join(pending, piece)
            rows.append([token_id, shown, piece.hex() if text is None else None])
        self.pending = pending
        return rows


# The same few tokens tear the same characters again and again, so both steps are remembered.
@lru_cache(maxsize=1 << 14)
def _step(tail: bytes, piece: bytes) -> tuple[bool, bytes]:
    """Whether the piece goes on with an open character, and the bytes that are open behind it."""
    linked = bool(tail) and _continues(tail, piece)
    return linked, _tail(tail + piece if linked else piece)


@lru_cache(maxsize=1 << 14)
def _join(pending: bytes, piece: bytes) -> tuple[str, bytes]:
    """The text that is final once the piece arrived, and the bytes of the open cluster."""
    closed = ""
    if pending and not _continues(_tail(pending), piece):
        closed, pending = pending.decode("utf-8", errors="replace"), b""
    joined = pending + piece
    if _tail(joined):
        return closed, joined
    return closed + joined.decode("utf-8", errors="replace"), b""


def _tail(data: bytes) -> bytes:
    """The bytes at the end that begin a character which is not complete, at most three."""
    data = data[-3:]
    tail = data[utf_8_decode(data, "replace", False)[1] :]
    return b"" if _is_surrogate(tail) else tail


def _continues(tail: bytes, piece: bytes) -> bool:
    """Whether the piece goes on with the character that the tail begins."""
    begun = tail + piece[:1]
    try:
        utf_8_decode(begun, "strict", False)
    except UnicodeDecodeError:
        return False
    return not _is_surrogate(begun)


def _is_surrogate(begun: bytes) -> bool:
    """Python's decoder waits for a third byte here, though no character begins like this."""
    return len(begun) == 2 and begun[0] == 0xED and begun[1] >= 0xA0


def _last(tokenizer: Tokenizer, ids: Sequence[int], stop: int) -> Sequence[int]:
    """The fewest ids before `stop` that hold three bytes, or all of them."""
    start, count = stop, 0
    while start and count < 3:
        start -= 1
        count += len(tokenizer.pieces[ids[start]])
    return ids[start:stop]
