"""What the ids of a tokenizer.json stand for, byte by byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from stet.common.errors import StetError

_SPACE = "\u2581"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def vocabulary_of(model: Mapping[str, Any]) -> dict[str, int]:
    vocab = model.get("vocab") or {}
    if isinstance(vocab, list):
        return {str(entry[0]): i for i, entry in enumerate(vocab)}
    return {str(name): int(i) for name, i in vocab.items()}


def parts_of(node: object) -> Iterator[dict[str, Any]]:
    """A normalizer, pre-tokenizer or decoder, and all that a sequence of them holds."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            for item in value if isinstance(value, list) else ():
                yield from parts_of(item)


def pieces_of(
    raw: Mapping[str, Any],
    ids: Mapping[str, int],
    added: Sequence[Mapping[str, Any]],
    special: Mapping[int, str],
    size: int,
) -> list[bytes]:
    parts = [*parts_of(raw.get("pre_tokenizer")), *parts_of(raw.get("decoder"))]
    kinds = {part.get("type") for part in parts}
    replaces = any((part.get("pattern") or {}).get("String") == _SPACE for part in parts)
    byte_level = "ByteLevel" in kinds
    if not (byte_level or replaces or kinds & {"ByteFallback", "Metaspace"}):
        raise StetError(
            _("Only byte-level BPE and SentencePiece tokenizers give back exact bytes."),
            code="tokenizer_unsupported",
            status=422,
        )
    table = byte_map()
    last = max([*ids.values(), *(int(a["id"]) for a in added)], default=-1)
    pieces = [b""] * max(size, last + 1)
    for name, i in ids.items():
        pieces[i] = _byte_level(name, table) if byte_level else _sentencepiece(name)
    for token in added:
        i, name = int(token["id"]), str(token["content"])
        plain = byte_level or i in special
        pieces[i] = name.encode() if plain else _sentencepiece(name)
    return pieces


def byte_map() -> dict[str, int]:
    """The characters by which byte-level BPE writes bytes: itself if printable, else U+0100 on."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in set(shown)]
    return {chr(b): b for b in shown} | {chr(0x100 + n): b for n, b in enumerate(hidden)}


def _byte_level(name: str, table: Mapping[str, int]) -> bytes:
    try:
        return bytes([table[character] for character in name])
    except KeyError:
        return name.encode()


def _sentencepiece(name: str) -> bytes:
    if found := _BYTE.fullmatch(name):
        return bytes([int(found[1], 16)])
    return name.replace(_SPACE, " ").encode()


def text_or_none(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None
