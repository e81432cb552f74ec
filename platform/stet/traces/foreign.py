"""Conversations that were not sampled here, as runs of tokens of a named tokenizer.

The messages as received are the truth; these tokens are a view to point into: the prompt as the
template renders it, each assistant's own text plain, and between them what the template puts
between the last end token and the next generation prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.policies.chat import Rendered, load_chat_template
from stet.policies.template_messages import SYSTEM_ROLES
from stet.policies.tokenizer import load_tokenizer
from stet.traces.models import Origin, Span

Message = dict[str, Any]
NOTHING: Message = {"role": "system", "content": ""}
MAX_RESULT = 64 * 1024
MAX_TEXT = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Mark:
    """A span in positions of its run."""

    level: Span.Level
    role: str
    ordinal: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """What becomes one segment: ids [T], T >= 1, and its spans; ``upto`` messages are then said."""

    upto: int
    origin: Origin
    ids: list[int]
    marks: list[Mark]


class ForeignRenderer:
    """Cuts conversations into runs, with the tokenizer and template of one model folder."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = load_tokenizer(folder)
        self.template = load_chat_template(folder)

    def runs(self, messages: list[Message], tools: list[Message] | None) -> Iterator[Run]:
        """The runs in order; raises Invalid when nobody answers, or when there is too much text."""
        said = [_plain(message) for message in messages]
        if sum(len(message["content"]) for message in said) > MAX_TEXT:
            raise Invalid(
                _("The conversation has more than %(size)d million characters of text.")
                % {"size": MAX_TEXT // 2**20},
                code="too_large",
            )
        blocks = list(_blocks(said))
        if all(role != "assistant" for role, _start, _end in blocks):
            raise Invalid(_("No assistant's turn: import it as a task."), code="no_answer")
        if blocks[0][0] == "assistant":
            # A template needs a message to begin with, and a path a root: nothing was asked.
            yield _run(Origin.PROMPT, 0, self.template.render([NOTHING], tools), 1)
        calls = 0
        for role, start, end in blocks:
            if role == "assistant":
                run, calls = self._answer(messages[start:end], start, calls)
                if run is not None:
                    yield run
            elif start == 0:
                yield _run(Origin.PROMPT, end, self.template.render(said[:end], tools), 0)
            else:
                yield self._turn(said, start, end, tools)

    def _answer(self, messages: list[Message], first: int, calls: int) -> tuple[Run | None, int]:
        """The text of assistant messages in a row, without an end token that nobody sampled."""
        ids: list[int] = []
        marks: list[Mark] = []
        for ordinal, message in enumerate(messages, first):
            start = len(ids)
            for text, is_call in _spoken(message):
                own = self.tokenizer.encode(text if len(ids) == start else f"\n{text}")
                if is_call:
                    marks.append(
                        Mark(Span.Level.CALL, "assistant", calls, len(ids), len(ids) + len(own))
                    )
                    calls += 1
                ids += own
            if len(ids) > start:
                marks.append(Mark(Span.Level.MESSAGE, "assistant", ordinal, start, len(ids)))
        upto = first + len(messages)
        return (Run(upto, Origin.FOREIGN, ids, marks) if ids else None), calls

    def _turn(self, said: list[Message], start: int, end: int, tools: list[Message] | None) -> Run:
        new = said[start:end]
        # The whole of a long run before each of its turns would be quadratic.
        before = _near(said[:start])
        rendered = self.template.turn(before, new, ended=False, tools=tools)
        tool = all(message["role"] == "tool" for message in new)
        origin = Origin.TOOL if tool else Origin.PROMPT
        return _run(origin, end, rendered, start, start - len(before))


def _near(said: list[Message]) -> list[Message]:
    """What a template needs of the past: a system, the last user, and the answer just before."""
    answered = next(
        (at for at in reversed(range(len(said))) if said[at]["role"] != "assistant"), -1
    )
    user = next((at for at in range(answered, -1, -1) if said[at]["role"] == "user"), None)
    head = [message for message in said[:1] if message["role"] in SYSTEM_ROLES]
    return [*head, *([said[user]] if user is not None else []), *said[answered + 1 :]]


def _run(origin: Origin, upto: int, rendered: Rendered, first: int, shift: int = 0) -> Run:
    marks = [
        Mark(Span.Level.MESSAGE, span.role, span.index + shift, span.start, span.end)
        for span in rendered.spans
        if span.end > span.start and span.index + shift >= first
    ]
    return Run(upto, origin, rendered.ids, marks)


def _blocks(said: list[Message]) -> Iterator[tuple[str, int, int]]:
    """(role or "", start, end) of assistants in a row and of what stands between them."""
    start = 0
    for at in range(1, len(said) + 1):
        here = said[start]["role"] == "assistant"
        if at == len(said) or (said[at]["role"] == "assistant") != here:
            yield "assistant" if here else "", start, at
            start = at


def _plain(message: Message) -> Message:
    """The message as a template takes it: one text, one of the four roles."""
    role = "tool" if message["role"] == "function" else message["role"]
    text = "\n".join(piece for piece, _call in _spoken(message))
    if role == "tool" and len(text) > MAX_RESULT:
        rest = len(text) - MAX_RESULT
        text = f"{text[:MAX_RESULT]}\n[… {rest} more characters]"
    return {"role": role, "content": text}


def _spoken(message: Message) -> Iterator[tuple[str, bool]]:
    """The pieces of text of a message, and whether each is a call."""
    content = message.get("content")
    if isinstance(content, str) and content:
        yield content, False
    for part in content if isinstance(content, list) else ():
        yield (part["text"] if part.get("type") == "text" else f"[{part.get('type')}]"), False
    functions = [call["function"] for call in message.get("tool_calls") or ()]
    if message.get("function_call"):
        functions.append(message["function_call"])
    for function in functions:
        yield _call_text(function), True


def _call_text(function: dict[str, Any]) -> str:
    """A call as text, its arguments as they were written where they are JSON."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = json.dumps(arguments, ensure_ascii=False)
    else:
        arguments = json.dumps(arguments, ensure_ascii=False)
    name = json.dumps(function.get("name"), ensure_ascii=False)
    return f'<tool_call>\n{{"name": {name}, "arguments": {arguments}}}\n</tool_call>'
