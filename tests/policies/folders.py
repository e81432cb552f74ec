"""Model folders for tests: the small real one, and tiny ones of other families."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

ROOT = Path(__file__).resolve().parents[2]
CORPUS = [
    "the quick brown fox jumps over the lazy dog, then the fox sleeps",
    "user assistant system tool call name arguments get_weather city Paris think",
    "def main():\n    return 0\n\n\nanswer: 42",
    "中文字符与标点，混合 English。 日本語",
] * 4
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def model_folder() -> Path:
    """The folder of the small real model; `python -m stet.stack.model` makes it."""
    default = ROOT / ".stet" / "model" / "smollm2-135m-instruct"
    folder = Path(os.environ.get("STET_TEST_MODEL_DIR") or default)
    if not (folder / "tokenizer.json").exists():
        pytest.skip("no model folder: set STET_TEST_MODEL_DIR or run python -m stet.stack.model")
    return folder


def save(
    folder: Path,
    built: Tokenizer,
    *,
    template: str = CHATML,
    special: list[str],
    plain: list[AddedToken] | None = None,
    eos: str,
) -> Path:
    """Write a model folder as a hub's would be, and return it."""
    built.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in special])
    built.add_tokens(plain or [])
    folder.mkdir(parents=True, exist_ok=True)
    built.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    config: dict[str, Any] = {"eos_token": {"content": eos}, "bos_token": special[0]}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def byte_level(folder: Path, template: str = CHATML) -> Path:
    """Byte-level BPE whose special tokens lie behind the vocabulary, `<think>` not special."""
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=alphabet, show_progress=False, special_tokens=[]
    )
    built.train_from_iterator(CORPUS, trainer)
    return save(
        folder,
        built,
        template=template,
        special=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        plain=[AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)],
        eos="<|im_end|>",
    )


def sentencepiece(folder: Path, *, legacy: bool, template: str = CHATML) -> Path:
    """SentencePiece BPE with bytes for what it does not know; a space before the first word."""
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2}
    vocab |= {f"<0x{byte:02X}>": 3 + byte for byte in range(256)}
    letters = sorted({c for text in CORPUS for c in text.replace(" ", "▁") if c.isascii()} | {"▁"})
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("o", "x"), ("▁", "f"), ("▁f", "ox")]
    for word in [*letters, *(a + b for a, b in merges)]:
        vocab.setdefault(word, len(vocab))
    built = Tokenizer(
        models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    if legacy:
        prepend, spaces = normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")
        built.normalizer = normalizers.Sequence([prepend, spaces])
    else:
        built.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    built.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    special = ["<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>"]
    return save(folder, built, template=template, special=special, eos="</s>")


def unigram(folder: Path, template: str = CHATML) -> Path:
    """A Unigram model that knows `</s>` as its likeliest word."""
    letters = sorted({c for text in CORPUS for c in text if c.isascii() and c not in " \n"})
    vocab = [("<unk>", 0.0), ("</s>", 0.0), ("▁", -2.0), ("\n", -4.0), ("▁fox", -3.0)]
    vocab += [(letter, -5.0) for letter in [*letters, "<", ">", "/", "|", "s"]]
    unique = list({word: (word, score) for word, score in reversed(vocab)}.values())[::-1]
    built = Tokenizer(models.Unigram(unique, unk_id=0, byte_fallback=False))
    built.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    built.decoder = decoders.Metaspace(prepend_scheme="always")
    special = ["</s>", "<unk>", "<|im_start|>", "<|im_end|>"]
    return save(folder, built, template=template, special=special, eos="</s>")


@cache
def _library(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def as_server(folder: Path, text: str) -> list[int]:
    """The ids that a model server makes of a rendered text."""
    ids: list[int] = _library(folder).encode(text, add_special_tokens=False).ids
    return ids
