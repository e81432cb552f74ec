"""A model folder's tokenizer: text to ids, ids to exact bytes, and which ids are special."""

from __future__ import annotations

import copy
import hashlib
import json
import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import tokenizers
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stet.common.errors import StetError
from stet.policies.vocabulary import parts_of, pieces_of, text_or_none, vocabulary_of

Piece = str | int
"""Plain text, or the id of a special token."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Tokenizer:
    """Ids are 0..vocab_size-1. Nothing here adds a special token, and no text turns into one."""

    sha256: str
    vocab_size: int
    special: Mapping[int, str]
    added: Mapping[str, int]
    """Every added token by name, also those that are not special."""
    eos_ids: tuple[int, ...]
    names: Mapping[str, str]
    """What a chat template may call `bos_token`, `eos_token` and so on."""
    pieces: Sequence[bytes]
    """The bytes of every id; b"" where the vocabulary has a gap."""
    whole: Sequence[str | None]
    """The text of every id whose bytes are whole characters, else None."""
    _placed: tokenizers.Tokenizer
    _bare: tokenizers.Tokenizer
    _marks: Mapping[int, str]

    @classmethod
    def load(cls, folder: Path) -> Tokenizer:
        """Read tokenizer.json and its neighbours; StetError says what is missing or unsupported."""
        try:
            data = (folder / "tokenizer.json").read_bytes()
            raw: dict[str, Any] = json.loads(data)
        except (OSError, ValueError) as error:
            raise StetError(
                _("The model folder holds no readable tokenizer.json."),
                code="tokenizer_missing",
                status=422,
            ) from error
        config = _json(folder / "tokenizer_config.json")
        names = {k: _name(v) for k, v in config.items() if k.endswith("_token") and _name(v)}
        added: list[dict[str, Any]] = raw.get("added_tokens") or []
        special = {int(a["id"]): str(a["content"]) for a in added if a.get("special")}
        ids = vocabulary_of(raw["model"])
        pieces = pieces_of(raw, ids, added, special, _configured_size(folder))
        marks = {i: f"\U000f0000{secrets.token_hex(12)}.{i}\U000f0001" for i in special}
        placed = _hide_specials(raw, special, marks)
        return cls(
            sha256=hashlib.sha256(data).hexdigest(),
            vocab_size=len(pieces),
            special=special,
            added={str(a["content"]): int(a["id"]) for a in added},
            eos_ids=_eos_ids(folder, names, {a["content"]: int(a["id"]) for a in added} | ids),
            names=names,
            pieces=pieces,
            whole=[text_or_none(piece) for piece in pieces],
            _placed=_build(placed, marks),
            _bare=_build(_without_prefix(placed), marks),
            _marks=marks,
        )

    def encode(self, text: str) -> list[int]:
        """The ids of text that stands anywhere in a path: no special token, no space added.

        A character that the vocabulary cannot write is lost or unknown, as on the server.
        """
        ids: list[int] = self._bare.encode(_checked(text), add_special_tokens=False).ids
        return ids

    def encode_pieces(self, pieces: Sequence[Piece]) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of a whole document, and for each piece the half-open run of tokens it touches.

        Equal to what a model server makes of the joined text, except that only the pieces given
        as ids become special tokens.
        """
        texts = [self._marks[p] if isinstance(p, int) else _checked(p) for p in pieces]
        encoding = self._placed.encode("".join(texts), add_special_tokens=False)
        starts = [start for start, _ in encoding.offsets]
        ends = [end for _, end in encoding.offsets]
        edges = accumulate((len(text) for text in texts), initial=0)
        runs = [(bisect_right(ends, a), bisect_left(starts, b)) for a, b in pairwise(edges)]
        return list(encoding.ids), [(a, max(a, b)) for a, b in runs]

    def token_bytes(self, token_id: int) -> bytes:
        """The exact bytes of one id; the name of a special token."""
        return self.bytes_of((token_id,))

    def bytes_of(self, ids: Iterable[int]) -> bytes:
        """The joined bytes; an id outside the vocabulary is StetError `bad_token`."""
        ids = list(ids)
        try:
            if ids and min(ids) < 0:
                raise IndexError
            return b"".join(map(self.pieces.__getitem__, ids))
        except IndexError:
            raise StetError(
                _("A token id is outside the vocabulary of %(size)d ids.")
                % {"size": self.vocab_size},
                code="bad_token",
                status=422,
            ) from None

    def text_of(self, ids: Iterable[int]) -> str:
        """The text; bytes that are no whole character become U+FFFD."""
        return self.bytes_of(ids).decode("utf-8", errors="replace")

    def is_special(self, token_id: int) -> bool:
        return token_id in self.special


def load_tokenizer(folder: Path) -> Tokenizer:
    """`Tokenizer.load`, kept until a file of the folder changes."""
    return _kept(folder.resolve(), *folder_state(folder))


def folder_state(folder: Path) -> tuple[int, ...]:
    """Changes whenever a file that decides about text changes."""
    names = ("tokenizer.json", "tokenizer_config.json", "generation_config.json")
    paths = [folder / name for name in (*names, "chat_template.jinja", "config.json")]
    return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)


@lru_cache(maxsize=8)
def _kept(folder: Path, *state: int) -> Tokenizer:
    return Tokenizer.load(folder)


def _checked(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise StetError(
            _("The text holds half of a surrogate pair at character %(at)d.") % {"at": error.start},
            code="bad_text",
            status=422,
        ) from None
    return text


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _name(value: object) -> str:
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else ""


def _configured_size(folder: Path) -> int:
    """A model's output may be padded past its vocabulary, and such an id can be sampled."""
    config = _json(folder / "config.json")
    size = config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size") or 0
    return int(size)


def _eos_ids(folder: Path, names: Mapping[str, str], ids: Mapping[str, int]) -> tuple[int, ...]:
    value = _json(folder / "generation_config.json").get("eos_token_id")
    if isinstance(value, int):
        return (value,)
    if isinstance(value, list) and value:
        return tuple(int(i) for i in value)
    name = names.get("eos_token", "")
    return (ids[name],) if name in ids else ()


def _hide_specials(
    raw: Mapping[str, Any], special: Mapping[int, str], marks: Mapping[int, str]
) -> dict[str, Any]:
    """The tokenizer with every special token renamed to a string that nobody can write.

    Then text that looks like a special token is plain text in every kind of model, also in those
    whose vocabulary holds the name as a word.
    """
    hidden = {name: marks[i] for i, name in special.items()}
    model = dict(raw["model"])
    vocab, merges, unknown = model.get("vocab"), model.get("merges"), model.get("unk_token")
    if isinstance(vocab, list):
        model["vocab"] = [[hidden.get(word, word), score] for word, score in vocab]
    elif vocab:
        model["vocab"] = {hidden.get(word, word): i for word, i in vocab.items()}
    if merges and isinstance(vocab, dict) and not hidden.keys().isdisjoint(vocab):
        pairs = [m.split(" ", 1) if isinstance(m, str) else m for m in merges]
        model["merges"] = [p for p in pairs if hidden.keys().isdisjoint((*p, "".join(p)))]
    if unknown in hidden:
        model["unk_token"] = hidden[unknown]
    tokens = [
        {**a, "content": hidden[a["content"]], "normalized": False} if a.get("special") else a
        for a in raw.get("added_tokens") or []
    ]
    # A post-processor could only add tokens and trim offsets; both would be wrong here.
    plain = {"post_processor": None, "truncation": None, "padding": None}
    return {**raw, **plain, "model": model, "added_tokens": tokens}


def _without_prefix(raw: dict[str, Any]) -> dict[str, Any]:
    """The tokenizer without the space that some put before a text; the same object if none does."""
    bare = {**raw, **copy.deepcopy({k: raw.get(k) for k in ("normalizer", "pre_tokenizer")})}
    for part in [*parts_of(bare["normalizer"]), *parts_of(bare["pre_tokenizer"])]:
        if part.get("type") == "Prepend":
            part["prepend"] = ""
        if part.get("type") == "Metaspace":
            part["prepend_scheme"] = "never"
        if part.get("add_prefix_space"):
            part["add_prefix_space"] = False
    unchanged = all(bare[k] == raw.get(k) for k in ("normalizer", "pre_tokenizer"))
    return raw if unchanged else bare


def _build(raw: Mapping[str, Any], marks: Mapping[int, str]) -> tokenizers.Tokenizer:
    try:
        built = tokenizers.Tokenizer.from_str(json.dumps(raw))
    except Exception as error:
        raise StetError(
            _("tokenizer.json cannot be loaded: %(fault)s") % {"fault": error},
            code="bad_tokenizer",
            status=422,
        ) from error
    expected = {a["content"]: int(a["id"]) for a in raw["added_tokens"]}
    wrong = [name for name, i in expected.items() if built.token_to_id(name) != i]
    if wrong:
        raise StetError(
            ngettext(
                "tokenizer.json gives %(count)d added token an id that is taken.",
                "tokenizer.json gives %(count)d added tokens an id that is taken.",
                len(wrong),
            )
            % {"count": len(wrong)},
            code="bad_tokenizer",
            status=422,
        )
    return built
