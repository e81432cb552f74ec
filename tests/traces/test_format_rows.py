"""Broken rows are named with their number and a reason, and cost nothing but themselves."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest

from stet.traces.formats.base import Conversation, LineError, detect_format, formats
from stet.traces.formats.openai_messages import FORMAT
from stet.traces.formats.rows import MAX_ROW


def row(identity: str, content: Any = "hi") -> bytes:
    return json.dumps(
        {"id": identity, "messages": [{"role": "user", "content": content}]}, ensure_ascii=False
    ).encode()


GOOD = row("good")
DEEP = b'{"messages": [{"role": "user", "content": "x", "meta": ' + b"[" * 10_000 + b"]" * 10_000
BROKEN: dict[str, tuple[bytes, str]] = {
    "bad json": (b'{"messages": [{"role": "user" "content": "x"}]}', "not JSON"),
    "cut in a string": (b'{"messages": [{"role": "user", "content": "hel', "cut off"),
    "cut after a bracket": (b'{"messages": [{"role": "user", "content": "x"}', "cut off"),
    "words": (b"once upon a time", "not JSON"),
    "nul byte": (b'{"messages": [{"role": "user", "content": "a\x00b"}]}', "NUL"),
    "nul escape": (b'{"messages": [{"role": "user", "content": "a\\u0000b"}]}', "NUL"),
    "lone surrogate": (b'{"messages": [{"role": "user", "content": "\\ud83d"}]}', "surrogate"),
    "surrogate in a key": (
        b'{"messages": [{"role": "user", "content": "x"}], "\\udc00": 1}',
        "surr",
    ),
    "not utf-8": (b'{"messages": [{"role": "user", "content": "\xff"}]}', "UTF-8"),
    "nan": (b'{"messages": [{"role": "user", "content": "x"}], "reward": NaN}', "NaN"),
    "infinity": (b'{"messages": [{"role": "user", "content": "x"}], "r": -Infinity}', "Infinity"),
    "overflow": (b'{"messages": [{"role": "user", "content": "x"}], "r": 1e999}', "float"),
    "digits": (b'{"messages": [], "r": ' + b"9" * 5000 + b"}", "digits"),
    "duplicate key": (b'{"messages": [], "messages": []}', "twice"),
    "bomb": (DEEP + b"}]}", "nested"),
    "deep": (b'{"messages": [], "m": ' + b"[" * 150 + b"]" * 150 + b"}", "nested"),
    "a list": (b"[1, 2]", "not an object"),
    "a number": (b"7", "not an object"),
    "no messages": (b'{"id": "x"}', "no “messages”"),
    "messages a string": (b'{"messages": "hi"}', "not a list"),
    "empty messages": (b'{"messages": []}', "empty"),
    "a message that is text": (b'{"messages": ["hi"]}', "message 1: not an object"),
    "no role": (b'{"messages": [{"content": "x"}]}', "no role"),
    "unknown role": (b'{"messages": [{"role": "wizard", "content": "x"}]}', "wizard"),
    "content a number": (b'{"messages": [{"role": "user", "content": 5}]}', "neither text"),
    "content missing": (b'{"messages": [{"role": "user"}]}', "no content"),
    "empty assistant": (b'{"messages": [{"role": "assistant", "content": null}]}', "no content"),
    "part without type": (b'{"messages": [{"role": "user", "content": [{"text": "x"}]}]}', "type"),
    "text part of numbers": (
        b'{"messages": [{"role": "user", "content": [{"type": "text", "text": 1}]}]}',
        "no text",
    ),
    "calls a string": (
        b'{"messages": [{"role": "assistant", "content": "", "tool_calls": "f"}]}',
        "not a list",
    ),
    "call without a name": (
        b'{"messages": [{"role": "assistant", "content": "", "tool_calls": [{}]}]}',
        "function",
    ),
    "arguments a number": (
        b'{"messages": [{"role": "assistant", "content": "", "tool_calls": '
        b'[{"function": {"name": "f", "arguments": 3}}]}]}',
        "arguments",
    ),
    "tools an object": (
        b'{"messages": [{"role": "user", "content": "x"}], "tools": {}}',
        "“tools”",
    ),
    "id a list": (b'{"id": [1], "messages": [{"role": "user", "content": "x"}]}', "“id”"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_line_is_named_and_the_others_are_kept(fault: str) -> None:
    line, reason = BROKEN[fault]
    read = list(FORMAT.read(b"\n".join([row("a"), b"", line, row("b"), b""])))
    assert [item.external_id for item in read if isinstance(item, Conversation)] == ["a", "b"]
    (error,) = [item for item in read if isinstance(item, LineError)]
    assert error.number == 3
    assert reason in error.reason
    assert len(error.reason) < 200


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_first_line_hides_neither_the_format_nor_the_rows(fault: str) -> None:
    line, _reason = BROKEN[fault]
    data = b"\r\n".join([line, row("a"), row("b")])
    found = detect_format(data)
    assert found is FORMAT
    read = list(FORMAT.read(data))
    assert [type(item) for item in read] == [LineError, Conversation, Conversation]


@pytest.mark.parametrize("fault", set(BROKEN) - {"cut in a string", "cut after a bracket", "bomb"})
def test_a_broken_item_of_an_array_is_named_by_its_place(fault: str) -> None:
    line, reason = BROKEN[fault]
    read = list(FORMAT.read(b"[" + row("a") + b",\n" + line + b", " + row("b") + b"]\n"))
    assert [type(item) for item in read] == [Conversation, LineError, Conversation]
    assert isinstance(read[1], LineError)
    assert read[1].number == 2
    assert reason in read[1].reason


def test_a_line_beyond_the_limit_is_skipped_without_being_held() -> None:
    huge = row("huge", "x" * (MAX_ROW + 1))
    read = list(FORMAT.read(io.BytesIO(huge + b"\n" + GOOD)))
    assert read[0] == LineError(1, "larger than 20 MB")
    assert isinstance(read[1], Conversation)
    assert list(FORMAT.read(huge)) == [LineError(1, "larger than 20 MB")]


def test_a_large_line_within_the_limit_is_kept_whole() -> None:
    text = "語" * 2_000_000
    (item,) = FORMAT.read(row("large", text))
    assert isinstance(item, Conversation)
    assert item.messages[0]["content"] == text


def test_a_cut_line_full_of_escaped_quotes_takes_no_quadratic_time() -> None:
    cut = b'{"messages": [{"role": "user", "content": "' + b'\\" ' * 300_000
    begin = time.monotonic()
    (error,) = FORMAT.read(cut)
    assert isinstance(error, LineError)
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize("layout", ["pretty list", "pretty object", "compact list", "bom", "crlf"])
def test_json_in_any_layout_gives_the_same_rows(layout: str) -> None:
    rows = [json.loads(row(name, 'a "b" [c] {d} \\ e\u2028f')) for name in ("a", "b")]
    compact = [json.dumps(one, ensure_ascii=False).encode() for one in rows]
    data, count = {
        "pretty list": (json.dumps(rows, indent=2).encode(), 2),
        "pretty object": (json.dumps(rows[0], indent=1).encode(), 1),
        "compact list": (json.dumps(rows).encode() + b"\n", 2),
        "bom": (b"\xef\xbb\xbf" + b"\n".join(compact), 2),
        "crlf": (b"\r\n".join(compact) + b"\r\n", 2),
    }[layout]
    read = list(FORMAT.read(data))
    assert [item.messages for item in read if isinstance(item, Conversation)] == [
        one["messages"] for one in rows[:count]
    ]
    assert len(read) == count


def test_nothing_at_all_gives_nothing() -> None:
    assert list(FORMAT.read(b"")) == []
    assert list(FORMAT.read(b"\n \r\n")) == []


def test_each_format_recognises_only_its_own() -> None:
    panda = {"version": "2.0", "dialogs": {"1": {"messages": []}}}
    heads: dict[str, list[Any]] = {
        "openai-messages": [json.loads(GOOD)],
        "panda": [panda],
        "plain-chat": [
            [{"role": "user", "content": "x"}],
            {"conversations": [{"from": "human", "value": "x"}]},
            {"question": "x", "answer": "y"},
        ],
    }
    assert set(heads) == set(formats())
    for name, values in heads.items():
        for value in values:
            for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value)[:-1]):
                recognised = [one.name for one in formats().values() if one.detect(text.encode())]
                assert recognised == [name]
            if isinstance(value, dict):
                found = detect_format(value)
                assert found is not None
                assert found.name == name
    assert detect_format(b"role,content\nuser,x\n") is None
    assert detect_format(b"") is None


def test_a_named_file_is_read_from_the_folder_only_if_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "policy.md").write_bytes("# 規則\r\n".encode())
    (tmp_path / "link.md").symlink_to("/etc/hostname")

    def system(name: str) -> bytes:
        message = {"role": "system", "content": f"@file:{name}"}
        return json.dumps({"messages": [message]}).encode()

    (kept,) = FORMAT.read(system("policy.md"))
    assert isinstance(kept, Conversation)
    assert kept.messages[0]["content"] == "@file:policy.md"
    (filled,) = FORMAT.read(system("policy.md"), files=tmp_path)
    assert isinstance(filled, Conversation)
    assert filled.messages[0]["content"] == "# 規則\r\n"
    for name in ("../policy.md", "/etc/hostname", "link.md", "gone.md", ".", ""):
        (error,) = FORMAT.read(system(name), files=tmp_path)
        assert isinstance(error, LineError)
        assert "was not sent along" in error.reason
