"""Channels are told by the model's own marks, never by text that merely looks like one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from stet.policies.channels.base import Channels, Marker, channels_of, families
from stet.policies.chat import load_chat_template
from stet.policies.clusters import TextRows
from tests.policies.folders import CHATML, CORPUS, save

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "channel_cases.json").read_text(encoding="utf-8")
)
BAR = "\uff5c"
HERMES = CHATML + "{# calls are <tool_call>…</tool_call> #}"
LLAMA = (
    "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}"
    "{{- '{\"name\": \"' + c.function.name + '\", ' }}{{- '\"parameters\": ' }}"
    "{{- c.function.arguments | tojson }}{% endfor %}{% endfor %}"
)
DEEPSEEK = [f"<{BAR}tool\u2581call\u2581begin{BAR}>", f"<{BAR}tool\u2581call\u2581end{BAR}>"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_regions_of_a_stream(case: dict[str, Any]) -> None:
    markers = [Marker(**{**one, "closes": tuple(one["closes"])}) for one in case["markers"]]
    channels = Channels(markers, case["ends"])
    for token in case["tokens"]:
        channels.feed(*token)
    assert [[r.kind, r.start, r.end] for r in channels.regions()] == case["regions"]


def folder_of(
    folder: Path, template: str, special: list[str], plain: list[str], eos: str = "<|im_end|>"
) -> Path:
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
        special_tokens=[],
    )
    built.train_from_iterator(CORPUS, trainer)
    added = [AddedToken(name, normalized=False) for name in plain]
    return save(folder, built, template=template, special=special, plain=added, eos=eos)


CHAT = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAGS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
FAMILIES: list[Any] = [
    # Qwen3: added tokens that are not flagged special.
    (
        "qwen3",
        (CHATML, CHAT, TAGS),
        ["<think>", "\nhm\n", "</think>", "\n\nSo ", "<tool_call>", "{}", "</tool_call>"],
        [("reasoning", "<think>\nhm\n</think>"), ("call", "<tool_call>{}</tool_call>")],
    ),
    # Hermes on a tokenizer without tokens for its tags: the template says that they are tags.
    (
        "hermes",
        (HERMES, CHAT, []),
        ['I look. <tool_call>\n{"name": "f"}\n</tool_call>', "<|im_end|>"],
        [("call", '<tool_call>\n{"name": "f"}\n</tool_call>')],
    ),
    # Nothing says that they are tags: they are text.
    ("plain", (CHATML, CHAT, []), ["<think>a</think><tool_call>b</tool_call>"], []),
    # Llama 3: a tag of code, or the answer is one object.
    (
        "llama-code",
        (LLAMA, ["<|begin_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"], []),
        ["<|python_tag|>", "f.call(1)", "<|eot_id|>"],
        [("call", "<|python_tag|>f.call(1)")],
    ),
    (
        "llama-object",
        (LLAMA, ["<|begin_of_text|>", "<|eot_id|>"], []),
        ['{"name": "f", "parameters": {}}', "<|eot_id|>"],
        [("call", '{"name": "f", "parameters": {}}')],
    ),
    (
        "deepseek",
        (CHATML, [f"<{BAR}end{BAR}>", "<|im_start|>"], ["<think>", "</think>", *DEEPSEEK]),
        ["hm", "</think>", "\n\n", DEEPSEEK[0], "function f\n{}", DEEPSEEK[1], f"<{BAR}end{BAR}>"],
        [("call", f"{DEEPSEEK[0]}function f\n{{}}{DEEPSEEK[1]}")],
    ),
    (
        "mistral",
        (CHATML, ["<s>", "</s>", "[TOOL_CALLS]"], []),
        ["[TOOL_CALLS]", '[{"name": "f"}]', "</s>"],
        [("call", '[TOOL_CALLS][{"name": "f"}]')],
    ),
    (
        "kimi",
        (CHATML, ["[BOS]", "<|im_end|>"], ["<|tool_call_begin|>", "<|tool_call_end|>"]),
        ["a", "<|tool_call_begin|>", "functions.f:0{}", "<|tool_call_end|>", "<|im_end|>"],
        [("call", "<|tool_call_begin|>functions.f:0{}<|tool_call_end|>")],
    ),
]


@pytest.mark.parametrize(("family", "made", "said", "found"), FAMILIES, ids=lambda x: str(x)[:12])
def test_a_family_is_known_by_its_tokens_and_its_template(
    tmp_path: Path, family: str, made: Any, said: list[str], found: list[tuple[str, str]]
) -> None:
    template, special, plain = made
    eos = next(name for name in reversed(special) if re.search("end|eot|/s", name))
    chat = load_chat_template(folder_of(tmp_path, template, special, plain, eos))
    tokenizer = chat.tokenizer
    ids = [
        i
        for text in said
        for i in ([tokenizer.added[text]] if text in tokenizer.added else tokenizer.encode(text))
    ]
    rows = TextRows(tokenizer).feed(ids)
    channels = Channels(chat.channels, tokenizer.eos_ids)
    for row in rows:
        channels.feed(int(row[0] or 0), str(row[1]))
    shown = [(r.kind, tokenizer.text_of(ids[r.start : r.end])) for r in channels.regions()]
    assert shown == found


def test_what_a_person_types_is_never_a_tag(tmp_path: Path) -> None:
    """A name of a special token in typed text is text; so is a tag in a prompt."""
    special = [*CHAT[:2], "<tool_call>", "</tool_call>", "<|im_end|>"]
    chat = load_chat_template(folder_of(tmp_path, CHATML, special, []))
    typed = chat.tokenizer.encode("<tool_call>{}</tool_call>")
    channels = Channels(chat.channels, chat.tokenizer.eos_ids)
    for row in TextRows(chat.tokenizer).feed(typed):
        channels.feed(int(row[0] or 0), str(row[1]))
    assert channels.regions() == []


def test_each_sign_is_known_once() -> None:
    assert len(families()) == 5
    markers = channels_of({"<think>": 1, "</think>": 2, "<tool_call>": 3}, HERMES)
    assert [m.opens for m in markers] == [1, 3]
    assert markers[1].closes == ("</tool_call>",)
