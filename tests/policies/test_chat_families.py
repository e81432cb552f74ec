"""Templates of other families: thoughts, tool calls as JSON, trimming, lists of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stet.common.errors import StetError
from stet.policies.chat import ChatTemplate, Rendered, load_chat_template
from tests.policies.folders import as_server, byte_level

OPEN, END = "<|im_start|>", "<|im_end|>"
TRIM = (
    "{%- for message in messages %}\n"
    "    {{- '<|im_start|>' + message.role + '\n' + message.content | trim + '<|im_end|>\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- '<|im_start|>assistant\n' }}\n"
    "{%- endif %}"
)
THINK = """
{%- set last = namespace(user=-1) -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set last.user = loop.index0 -%}{%- endif -%}
{%- endfor -%}
{%- for m in messages -%}
{%- set text = m.content -%}
{%- set thought = m.reasoning_content | default('') -%}
{%- if m.role == 'assistant' and '</think>' in text -%}
{%- set thought = text.split('</think>')[0].split('<think>')[-1].strip('\\n') -%}
{%- set text = text.split('</think>')[-1].lstrip('\\n') -%}
{%- endif -%}
{{- '<|im_start|>' + m.role + '\\n' -}}
{%- if thought and loop.index0 > last.user -%}
{{- '<think>\\n' + thought + '\\n</think>\\n\\n' -}}
{%- endif -%}
{%- generation -%}{{- text -}}{%- endgeneration -%}{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n<think>\\n' -}}{%- endif -%}
"""
TOOLS = """
{%- if tools -%}
{{- '<|im_start|>system\\n' -}}
{%- for tool in tools -%}{{- tool | tojson -}}{{- '\\n' -}}{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for m in messages -%}
{{- '<|im_start|>' + m.role + '\\n' -}}
{%- if m.content -%}{{- m.content -}}{%- endif -%}
{%- for call in m.tool_calls or [] -%}
{%- if call.function -%}{%- set call = call.function -%}{%- endif -%}
{{- '\\n<tool_call>\\n{"name": "' + call.name + '", "arguments": ' -}}
{{- call.arguments | tojson + '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{{- '<|im_start|>assistant\\n' -}}
"""
PARTS = """
{%- macro shown(value) -%}{%- for part in value -%}{{- part.text -}}{%- endfor -%}{%- endmacro -%}
{%- for m in messages -%}
{{- '<|im_start|>' + m.role + '\\n' -}}
{%- if m.content is string -%}{{- m.content -}}{%- else -%}{{- shown(m.content) -}}{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
"""


def turns(*texts: tuple[str, str]) -> str:
    return "".join(f"{OPEN}{role}\n{text}{END}\n" for role, text in texts)


def said(chat: ChatTemplate, rendered: Rendered) -> list[str]:
    return [chat.tokenizer.text_of(rendered.ids[s.start : s.end]) for s in rendered.spans]


def specials(chat: ChatTemplate, rendered: Rendered) -> int:
    return sum(map(chat.tokenizer.is_special, rendered.ids))


def test_a_trimming_template_trims_and_keeps_names_as_text(tmp_path: Path) -> None:
    folder = byte_level(tmp_path, TRIM)
    chat = load_chat_template(folder)
    expected = turns(("user", "a b"), ("assistant", "")) + f"{OPEN}assistant\n"
    messages = [{"role": "user", "content": " a b\n\n"}, {"role": "assistant", "content": " \n"}]
    rendered = chat.render(messages)
    assert rendered.ids == as_server(folder, expected)
    assert said(chat, rendered) == ["a b"]
    rendered = chat.render([{"role": "user", "content": f"\n{END} x "}])
    assert (
        chat.tokenizer.text_of(rendered.ids) == turns(("user", f"{END} x")) + f"{OPEN}assistant\n"
    )
    assert specials(chat, rendered) == 3


def test_thoughts_are_dropped_or_kept_as_the_template_wants(tmp_path: Path) -> None:
    folder = byte_level(tmp_path, THINK)
    chat = load_chat_template(folder)
    ask = {"role": "user", "content": f"Is {END} a token? "}
    thought = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nYes "}
    rendered = chat.render([ask, thought, ask])
    text = turns(("user", ask["content"]), ("assistant", "Yes "), ("user", ask["content"]))
    assert chat.tokenizer.text_of(rendered.ids) == text + f"{OPEN}assistant\n<think>\n"
    assert said(chat, rendered) == [ask["content"], "Yes ", ask["content"]]
    assert specials(chat, rendered) == 7
    apart = {"role": "assistant", "content": "Yes", "reasoning_content": f"{END}?"}
    rendered = chat.render([ask, apart])
    assert said(chat, rendered)[1] == f"{END}?\n</think>\n\nYes"
    assert specials(chat, rendered) == 5


def test_a_name_in_a_text_that_the_template_takes_apart_is_refused(tmp_path: Path) -> None:
    chat = load_chat_template(byte_level(tmp_path, THINK))
    for content in (f"<think>{END}</think>Yes", f"<think>a</think>b{END}</think>c"):
        messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": content}]
        with pytest.raises(StetError, match="content of message 2") as error:
            chat.render(messages)
        assert (error.value.code, error.value.status) == ("template_alters_text", 422)
    upper = load_chat_template(byte_level(tmp_path / "upper", "{{ messages[0].content | upper }}"))
    assert upper.tokenizer.text_of(upper.render([{"role": "user", "content": "a"}]).ids) == "A"
    with pytest.raises(StetError):
        upper.render([{"role": "user", "content": END}])


def test_tool_calls_and_tools_are_rendered_and_owned(tmp_path: Path) -> None:
    folder = byte_level(tmp_path, TOOLS)
    chat = load_chat_template(folder)
    call = {"type": "function", "function": {"name": "f", "arguments": '{"q": "中 \\"x\\""}'}}
    tools = [{"type": "function", "function": {"name": "f", "description": "find"}}]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call, call]},
        {"role": "tool", "content": "done"},
        {"role": "assistant", "content": "Again", "tool_calls": [call]},
    ]
    rendered = chat.render(messages, tools)
    text = chat.tokenizer.text_of(rendered.ids)
    shown = '\n<tool_call>\n{"name": "f", "arguments": {"q": "中 \\"x\\""}}\n</tool_call>'
    assert rendered.ids == as_server(folder, text)
    assert f"{OPEN}system\n" + '{"type": "function", "function": {"name": "f"' in text
    assert said(chat, rendered)[1:] == [shown * 2, "done", f"Again{shown}"]
    hostile = [{"type": "function", "function": {"name": "f", "description": f'"{END}\n'}}]
    call["function"] = {"name": "f", "arguments": {"q": [f'{END}"']}}
    rendered = chat.render(messages, hostile)
    assert specials(chat, rendered) == 11
    assert said(chat, rendered)[1].count(f'"{END}\\""') == 2
    call["function"] = {"name": f"f{END}", "arguments": "not JSON"}
    rendered = chat.render(messages, tools)
    assert specials(chat, rendered) == 11
    assert '"arguments": {}' in said(chat, rendered)[1]


def test_a_turn_behind_a_tool_call_begins_at_its_end_token(tmp_path: Path) -> None:
    chat = load_chat_template(byte_level(tmp_path, TOOLS))
    call = {"function": {"name": "f", "arguments": {"q": f"{END}x"}}}
    before: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    rendered = chat.turn(before, [{"role": "tool", "content": "done"}], ended=False)
    expected = f"{END}\n" + turns(("tool", "done")) + f"{OPEN}assistant\n"
    assert chat.tokenizer.text_of(rendered.ids) == expected
    assert said(chat, rendered) == ["done"]
    assert [(s.role, s.index) for s in rendered.spans] == [("tool", 2)]


def test_a_template_that_walks_over_parts_is_given_parts(tmp_path: Path) -> None:
    chat = load_chat_template(byte_level(tmp_path, PARTS))
    parts = [{"type": "text", "text": f"{END} one"}, {"type": "text", "text": " two"}]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": "three"},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": parts},
    ]
    rendered = chat.render(messages)
    assert chat.tokenizer.text_of(rendered.ids) == turns(
        ("user", f"{END} one two"),
        ("assistant", "three"),
        ("assistant", ""),
        ("tool", f"{END} one\n two"),
    )
    assert said(chat, rendered) == [f"{END} one two", "three", f"{END} one\n two"]
    assert specials(chat, rendered) == 8


@pytest.mark.parametrize(
    "source",
    [
        "{{ raise_exception('Roles must alternate') }}",
        "{{ messages[0].content + none }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ 1 / 0 }}",
    ],
)
def test_a_template_that_fails_says_why(tmp_path: Path, source: str) -> None:
    chat = load_chat_template(byte_level(tmp_path, source))
    with pytest.raises(StetError) as error:
        chat.render([{"role": "user", "content": "a"}])
    assert error.value.code == "template_refused"


def test_the_default_system_text_is_told_only_where_it_is_in_force(tmp_path: Path) -> None:
    source = (
        "{% if messages[0].role == 'system' %}{% set text = messages[0].content %}"
        "{% else %}{% set text = 'Today is ' + strftime_now('%Y') %}{% endif %}"
        "{{ '<|im_start|>system\n' + text + '<|im_end|>\n' }}{{ messages[-1].content }}"
    )
    chat = load_chat_template(byte_level(tmp_path, source))
    system, user = {"role": "system", "content": "S"}, {"role": "user", "content": "a"}
    assert str(chat.render([user]).system_in_force).startswith("Today is 2")
    assert chat.render([system, user]).system_in_force is None
    without = load_chat_template(byte_level(tmp_path / "none"))
    assert without.render([user]).system_in_force is None
