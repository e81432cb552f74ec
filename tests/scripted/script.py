"""What is said to which prompt, and the bytes of every token, made once and kept."""

from __future__ import annotations

import codecs
import hashlib
import json
import random
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stet.policies.tokenizer import load_tokenizer
from tests.scripted.odds import candidates
from tests.scripted.texts import SENTENCES

VERSION = "0.32.0"


@dataclass(frozen=True, slots=True)
class Part:
    """One token's share of its event: everything around the text offset and the reason to end."""

    token_id: int
    name_length: int
    before: bytes
    after: bytes
    end: bytes


class Script:
    """Tokens of the sentences in a ring; a prompt, the seed and the model pick where to begin."""

    def __init__(self, folder: Path, *, seed: int = 1, tokens: int = 0) -> None:
        self.tokenizer = load_tokenizer(folder)
        self.eos = self.tokenizer.eos_ids[0]
        self.vocab_size = self.tokenizer.vocab_size
        self._seed, self._tokens = seed, tokens
        self._ring: list[int] = []
        self._starts: list[int] = []
        for sentence in SENTENCES:
            self._starts.append(len(self._ring))
            self._ring += self.tokenizer.encode(sentence + "\n")
        self._texts = list(self._decoded(self._ring))
        self._pool = sorted({*self._ring, *range(3, 64)} - set(self.tokenizer.special))
        self._parts: dict[tuple[int, bool, int], Part] = {}
        for at in range(len(self._ring)):
            self._part(at, False, 0)

    def play(self, body: dict[str, Any], *, cut: bool = True) -> tuple[list[Part], str]:
        """The tokens of the answer and the reason of its end, "stop" or "length"."""
        prompt: list[int] = body["prompt"]
        salt = f"{self._seed}:{body.get('seed')}:{body['model']}:".encode()
        digest = hashlib.sha256(salt + array("i", prompt).tobytes()).digest()
        rng = random.Random(digest)
        start = rng.choice(self._starts)
        length = self._tokens or rng.randint(40, 300)
        most = int(body.get("max_tokens") or 16)
        top_k = int(body.get("top_k") or 0) if cut else 0
        count = min(length - 1, most)
        parts = [self._part((start + n) % len(self._ring), False, top_k) for n in range(count)]
        if length > most:
            return parts, "length"
        return [*parts, self._part((start + count) % len(self._ring), True, top_k)], "stop"

    def say(self, ids: list[int], body: dict[str, Any]) -> tuple[list[Part], str]:
        """Exactly these tokens, with the reason "stop" where the last is an end token."""
        ids = ids[: int(body.get("max_tokens") or 16)]
        texts = self._decoded(ids)
        parts = [
            self._written(f"said:{n}", token_id, "" if token_id == self.eos else text, 0)
            for n, (token_id, text) in enumerate(zip(ids, texts, strict=True))
        ]
        return parts, "stop" if ids[-1] == self.eos else "length"

    def _part(self, at: int, ends: bool, top_k: int) -> Part:
        part = self._parts.get(key := (at, ends, top_k))
        if part is None:
            part = self._parts[key] = self._made(at, ends, top_k)
        return part

    def _made(self, at: int, ends: bool, top_k: int) -> Part:
        token_id = self.eos if ends else self._ring[at]
        text = "" if ends else self._texts[at]
        return self._written(f"{at}:{ends}", token_id, text, top_k)

    def _written(self, key: str, token_id: int, text: str, top_k: int) -> Part:
        rows = candidates(f"{self._seed}:{key}", token_id, self._pool, top_k=top_k)
        name = f"token_id:{token_id}"
        top = ",".join(f'"token_id:{number}":{value!r}' for number, value in rows)
        quoted = json.dumps(text, ensure_ascii=False)
        return Part(
            token_id,
            len(name),
            f'{quoted},"logprobs":{{"text_offset":['.encode(),
            f'],"token_logprobs":[{rows[0][1]!r}],"tokens":["{name}"],'
            f'"top_logprobs":[{{{top}}}]}},"finish_reason":'.encode(),
            f',"token_ids":[{token_id}]}}]}}'.encode(),
        )

    def _decoded(self, ids: list[int]) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for token_id in ids:
            yield decoder.decode(self.tokenizer.pieces[token_id])
