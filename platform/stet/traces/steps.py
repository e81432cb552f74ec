"""A run as plain data: its steps, each an assistant's message with its calls and their results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stet.traces.formats.strict_json import MAX_DEPTH

TOOL_CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool: the ``ordinal``-th of the run. ``arguments`` is None where they are no JSON
    object; ``raw`` is what was written. ``result`` is None where none came."""

    ordinal: int
    name: str
    arguments: dict[str, Any] | None
    raw: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The ``ordinal``-th assistant's message of a run, the ``message``-th of all messages.

    ``before`` is what others said since the step before (a user's turn, a system's text).
    """

    ordinal: int
    message: int
    text: str
    calls: tuple[Call, ...] = ()
    before: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What was asked for, the tools that were offered, and the steps that followed."""

    instruction: str
    steps: tuple[Step, ...]
    tools: tuple[dict[str, Any], ...] = field(default=())

    def upto(self, ordinal: int) -> Run:
        """The run as it stood when step ``ordinal`` was made: without the results of its calls, and
        without anything later."""
        kept = self.steps[: ordinal + 1]
        if kept:
            last = kept[-1]
            calls = tuple(
                Call(call.ordinal, call.name, call.arguments, call.raw) for call in last.calls
            )
            kept = (*kept[:-1], Step(last.ordinal, last.message, last.text, calls, last.before))
        return Run(self.instruction, kept, self.tools)


def run_of(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] | None = None) -> Run:
    """The steps of a conversation of any shape of JSON; nothing that is odd in it raises.

    Results find their calls by id, else by order.
    """
    steps: list[Step] = []
    results = _Results(messages)
    said: list[str] = []
    instruction = ""
    count = 0
    for index, message in enumerate(messages):
        role = message.get("role")
        text = text_of(message.get("content"))
        if role != "assistant":
            if role == "user" and not steps and not instruction:
                instruction = text
            if role not in ("tool", "function"):
                said.append(text)
            continue
        calls = []
        for name, arguments, raw, named in _calls(message, text):
            result = results.take(index, named)
            calls.append(Call(count, name, arguments, raw, result))
            count += 1
        plain = TOOL_CALL.sub("", text).strip() if not message.get("tool_calls") else text
        steps.append(Step(len(steps), index, plain, tuple(calls), "\n".join(said)))
        said = []
    return Run(instruction, tuple(steps), tuple(dict(tool) for tool in tools or ()))


class _Results:
    """The results of a conversation, each given away once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.by_id: dict[str, list[tuple[int, str]]] = {}
        self.after: dict[int, list[str]] = {}
        last = -1
        for index, message in enumerate(messages):
            role = message.get("role")
            if role == "assistant":
                last = index
            elif role in ("tool", "function"):
                text, named = text_of(message.get("content")), message.get("tool_call_id")
                if isinstance(named, str) and named:
                    self.by_id.setdefault(named, []).append((index, text))
                else:
                    self.after.setdefault(last, []).append(text)

    def take(self, message: int, call: str) -> str | None:
        named = self.by_id.get(call, [])
        for at, (index, text) in enumerate(named):
            if index > message:
                del named[at]
                return text
        unnamed = self.after.get(message)
        return unnamed.pop(0) if unnamed else None


def text_of(content: Any) -> str:
    """A message's content as text: of parts, their texts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _calls(message: Message, text: str) -> Iterator[tuple[str, dict[str, Any] | None, str, str]]:
    """(name, arguments, as written, id) of each call, also of those in the text itself."""
    listed = message.get("tool_calls")
    calls = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if isinstance(message.get("function_call"), dict):
        calls.append({"function": message["function_call"]})
    for call in calls:
        function = call.get("function")
        own = function if isinstance(function, dict) else call
        written = own.get("arguments")
        raw = written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
        arguments = written if isinstance(written, dict) else _object(raw)
        named = call.get("id")
        yield _name(own), arguments, raw, named if isinstance(named, str) else ""
    if not calls and "<tool_call>" in text:
        for found in TOOL_CALL.finditer(text):
            own = _object(found[1]) or {}
            inner = own.get("arguments")
            yield _name(own), inner if isinstance(inner, dict) else None, found[1], ""


def _name(function: Mapping[str, Any]) -> str:
    name = function.get("name")
    return name[:200] if isinstance(name, str) else ""


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and not deep(value) else None


def deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether JSON nests deeper than ``limit``; asked without recursion."""
    level = [value]
    for _depth in range(limit):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True
