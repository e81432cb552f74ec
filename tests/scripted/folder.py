"""A model folder without a model: a small byte-level tokenizer, a template, the end tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from stet.policies.vocabulary import byte_map
from tests.scripted.texts import SENTENCES

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


TOOLS = (
    "{%- if tools -%}{{- '<|im_start|>system\nYou may call:\n' -}}"
    "{%- for tool in tools -%}{{- tool | tojson + '\n' -}}{%- endfor -%}{{- '<|im_end|>\n' -}}"
    "{%- endif -%}"
    "{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\n' -}}"
    "{%- if m.content -%}{{- m.content -}}{%- endif -%}"
    "{%- for call in m.tool_calls or [] -%}"
    '{{- \'\n<tool_call>\n{"name": "\' + call.function.name + \'", "arguments": \' -}}'
    "{{- call.function.arguments | tojson + '}\n</tool_call>' -}}"
    "{%- endfor -%}"
    "{{- '<|im_end|>\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}"
)
TAGS = ("<think>", "</think>", "<tool_call>", "</tool_call>")


def write_folder(
    folder: Path,
    *,
    vocab_size: int = 900,
    template: str = TEMPLATE,
    tags: tuple[str, ...] = (),
    pieces: tuple[bytes, ...] = (),
) -> Path:
    """Write tokenizer.json, chat_template.jinja and the two configs; the ids are always the same.

    Ids: 0 end of text, 1 start of a turn, 2 end of a turn, then the 256 bytes, then merges, then
    ``pieces`` that no text becomes, then ``tags``, added tokens that are not special.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[AddedToken(name, special=True) for name in SPECIAL],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*SENTENCES, "user\nassistant\nsystem\n"] * 2, trainer)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _with_pieces(tokenizer, pieces)
    tokenizer.add_tokens([AddedToken(name, normalized=False) for name in tags])
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    start, end = SPECIAL[1], SPECIAL[2]
    config = {"bos_token": start, "eos_token": end, "pad_token": end, "unk_token": SPECIAL[0]}
    _write(folder / "tokenizer_config.json", config)
    _write(folder / "generation_config.json", {"bos_token_id": 1, "eos_token_id": [2, 0]})
    _write(folder / "config.json", {"vocab_size": tokenizer.get_vocab_size()})
    return folder


def _with_pieces(tokenizer: Tokenizer, pieces: tuple[bytes, ...]) -> Tokenizer:
    raw = json.loads(tokenizer.to_str())
    vocab = raw["model"]["vocab"]
    letters = {byte: letter for letter, byte in byte_map().items()}
    for piece in pieces:
        vocab.setdefault("".join(letters[byte] for byte in piece), len(vocab))
    return Tokenizer.from_str(json.dumps(raw))


def _write(path: Path, data: Mapping[str, object]) -> None:
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
