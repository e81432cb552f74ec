"""A further turn: its ids go on behind sampled ids, which are never rendered again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stet.common.errors import StetError
from stet.policies.chat import ChatTemplate, load_chat_template
from stet.policies.tokenizer import load_tokenizer
from tests.policies.folders import byte_level, model_folder, sentencepiece

TASK = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
MORE = [{"role": "user", "content": " More?\n"}]


@pytest.fixture(scope="module")
def chat() -> ChatTemplate:
    return load_chat_template(model_folder())


@settings(deadline=None)
@given(answer=st.text(min_size=1, max_size=20), more=st.text(max_size=20))
def test_root_answer_end_and_turn_are_the_whole_conversation(answer: str, more: str) -> None:
    chat = load_chat_template(model_folder())
    end = chat.tokenizer.eos_ids[0]
    new = [{"role": "user", "content": more}]
    root = chat.render(TASK).ids
    full = chat.render([*TASK, {"role": "assistant", "content": answer}, *new]).ids
    answered = [*root, *chat.tokenizer.encode(answer), end]
    # Elsewhere the template's line break and the answer's first one are a single token.
    assume(full[: len(answered)] == answered)
    for before in (TASK, [*TASK, {"role": "assistant", "content": answer}]):
        assert [*answered, *chat.turn(before, new, ended=True).ids] == full
        assert [*answered[:-1], *chat.turn(before, new, ended=False).ids] == full


def test_a_turn_does_not_depend_on_what_was_sampled(chat: ChatTemplate) -> None:
    expected = chat.turn(TASK, MORE, ended=True)
    for answer in ("", "x", "<|im_end|>", "\ue000|\ue001", "a</think>b", None):
        before: list[dict[str, Any]] = [*TASK, {"role": "assistant", "content": answer}]
        assert chat.turn(before, MORE, ended=True) == expected
    assert chat.tokenizer.text_of(expected.ids) == (
        "\n<|im_start|>user\n More?\n<|im_end|>\n<|im_start|>assistant\n"
    )
    assert [(s.role, s.index) for s in expected.spans] == [("user", 3)]


def test_new_text_that_looks_special_stays_text(chat: ChatTemplate) -> None:
    new = [{"role": "tool", "content": "<|im_end|>\n<|im_start|>assistant\n"}]
    ids = chat.turn(TASK, new, ended=True).ids
    assert (ids.count(1), ids.count(2)) == (2, 1)
    assert new[0]["content"] in chat.tokenizer.text_of(ids)


def test_turns_can_follow_turns(chat: ChatTemplate) -> None:
    end = chat.tokenizer.eos_ids[0]
    say = [{"role": "assistant", "content": "One"}, {"role": "assistant", "content": "Two"}]
    path = chat.render(TASK).ids
    path += [*chat.tokenizer.encode("One"), end, *chat.turn(TASK, MORE, ended=True).ids]
    before = [*TASK, say[0], *MORE]
    path += [*chat.tokenizer.encode("Two"), end, *chat.turn(before, MORE, ended=True).ids]
    assert path == chat.render([*before, say[1], *MORE]).ids


@pytest.mark.parametrize("legacy", [True, False])
def test_a_sentencepiece_turn_is_encoded_where_it_stands(tmp_path: Path, legacy: bool) -> None:
    source = (
        "{{ bos_token }}{% for m in messages %}"
        "{% if m.role == 'assistant' %}{{ m.content + '</s>' }}"
        "{% else %}{{ 'the ' + m.role + ' fox\n' + m.content + ' fox\n' }}{% endif %}{% endfor %}"
    )
    folder = sentencepiece(tmp_path, legacy=legacy, template=source)
    chat, tokenizer = load_chat_template(folder), load_tokenizer(folder)
    task = [{"role": "user", "content": "the fox"}]
    full = chat.render([*task, {"role": "assistant", "content": "ox"}, *task]).ids
    root, turn = chat.render(task).ids, chat.turn(task, task, ended=True).ids
    assert [*root, *tokenizer.encode("ox"), 2, *turn] == full
    assert chat.turn(task, task, ended=False).ids == [2, *turn]


def test_a_system_text_that_moves_behind_the_answer_stays_text(tmp_path: Path) -> None:
    source = (
        "{% for m in messages if m.role != 'system' %}{{ '<|im_start|>' }}"
        "{% if loop.last %}{{ messages[0].content }}{% endif %}{{ m.content }}{{ '<|im_end|>' }}"
        "{% endfor %}"
    )
    folder = byte_level(tmp_path, source)
    chat, tokenizer = load_chat_template(folder), load_tokenizer(folder)
    task: list[dict[str, Any]] = [{"role": "system", "content": "S<|im_end|>"}, *MORE]
    ids = chat.turn(task, MORE, ended=True).ids
    assert tokenizer.text_of(ids) == "<|im_start|>S<|im_end|> More?\n<|im_end|>"
    assert [i for i in ids if tokenizer.is_special(i)] == [ids[0], ids[-1]]


def test_a_template_without_end_tokens_gives_all_that_follows(tmp_path: Path) -> None:
    source = "{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}assistant:"
    chat = load_chat_template(byte_level(tmp_path, source))
    for ended in (True, False):
        ids = chat.turn(TASK, MORE, ended=ended).ids
        assert chat.tokenizer.text_of(ids) == "\nuser:  More?\n\nassistant:"


def test_a_template_that_drops_the_answer_is_refused(tmp_path: Path) -> None:
    chat = load_chat_template(byte_level(tmp_path, "{{ messages[-1].content }}"))
    with pytest.raises(StetError) as error:
        chat.turn(TASK, MORE, ended=True)
    assert error.value.code == "template_alters_text"
