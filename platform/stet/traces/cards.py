"""Messages as the page shows them: of any shape of JSON, each string cut to a quick head.

Nothing here recurses, so that no depth can hurt, and no more is written than is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

HEAD = 20_000
"""Characters of one piece, while all pieces together have fewer than TOTAL; then LITTLE."""
TOTAL = 600_000
LITTLE = 400
DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,]{0,100},")
DATA_HEAD = 60
Card = dict[str, Any]


class Cards:
    """Cards of messages and tools, with one budget for all of them."""

    def __init__(self, total: int = TOTAL) -> None:
        self.left = total

    def message(self, index: int, message: Any) -> Card:
        """Who speaks, the pieces of what is said, and the calls."""
        if not isinstance(message, dict):
            return {"index": index, "role": "", "pieces": [self._piece(message)], "calls": []}
        thought = message.get("reasoning") or message.get("reasoning_content")
        calls = message.get("tool_calls")
        if not isinstance(calls, list):
            calls = [] if calls is None else [calls]
        if message.get("function_call") is not None:
            calls = [*calls, {"function": message["function_call"]}]
        return {
            "index": index,
            "role": str(message.get("role", ""))[:40],
            "name": _short(message.get("name")),
            "pieces": [self._piece(part) for part in _parts(message.get("content"))],
            "reasoning": None if thought is None else self._piece(thought),
            "calls": [self._call(call) for call in calls],
        }

    def tool(self, tool: Any) -> Card:
        """What a tool is called, what it says of itself, and what it takes."""
        function = tool.get("function", tool) if isinstance(tool, dict) else {}
        if not isinstance(function, dict):
            function = {}
        about = function.get("description")
        return {
            "name": _short(function.get("name")),
            "about": self._piece(about) if isinstance(about, str) else None,
            "takes": self._piece(function.get("parameters", tool)),
        }

    def _call(self, call: Any) -> Card:
        function = call.get("function", call) if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return {"name": "", "id": "", "arguments": self._piece(call)}
        return {
            "name": _short(function.get("name")),
            "id": _short(call.get("id")),
            "arguments": self._piece(function.get("arguments", function.get("parameters"))),
        }

    def _piece(self, value: Any) -> Card:
        """A head of the value as text, and how many characters the whole has."""
        limit = HEAD if self.left > HEAD else LITTLE
        if isinstance(value, str):
            found = DATA_URL.match(value)
            if found:
                text, kind = value[:DATA_HEAD], found[1] or "text/plain"
            else:
                text, kind = value[:limit], "text"
            size = len(value)
        else:
            text, size = head_of(value, limit)
            kind = "json"
        self.left -= len(text)
        return {"text": text, "size": size, "kind": kind}


def message_cards(messages: Any, tools: Any = None) -> dict[str, list[Card]]:
    """Cards of a conversation and of the tools it may use."""
    cards = Cards()
    listed = messages if isinstance(messages, list) else [messages]
    offered = tools if isinstance(tools, list) else [] if tools is None else [tools]
    return {
        "messages": [cards.message(index, one) for index, one in enumerate(listed)],
        "tools": [cards.tool(one) for one in offered],
    }


def head_of(value: Any, limit: int) -> tuple[str, int]:
    """The first characters of a value as JSON, and about how many the whole has."""
    kept: list[str] = []
    size = 0
    for text in _written(value, limit):
        if size < limit:
            kept.append(text[: limit - size])
        size += len(text)
    return "".join(kept), size


def _written(value: Any, limit: int) -> Iterator[str]:
    """JSON text bit by bit; of a long string only its beginning is escaped, the rest counted."""
    # Each entry is text that closes something, or an iterator of what is still to be written.
    stack: list[Any] = [iter([("", value)])]
    while stack:
        top = stack[-1]
        if isinstance(top, str):
            yield stack.pop()
            continue
        step = next(top, None)
        if step is None:
            stack.pop()
            continue
        lead, item = step
        if lead:
            yield lead
        if isinstance(item, dict):
            yield "{"
            stack += ["}", _members(item)]
        elif isinstance(item, list | tuple):
            yield "["
            stack += ["]", (("," if i else "", one) for i, one in enumerate(item))]
        elif isinstance(item, str):
            yield json.dumps(item[:limit], ensure_ascii=False)
            if len(item) > limit:
                yield item[limit:]
        else:
            yield json.dumps(item)


def _members(item: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for i, (key, one) in enumerate(item.items()):
        yield f"{',' if i else ''}{json.dumps(str(key), ensure_ascii=False)}: ", one


def _parts(content: Any) -> list[Any]:
    """What a content consists of: the texts of a list of parts, and the URL of an image."""
    if content is None or content == "":
        return []
    parts = content if isinstance(content, list) else [content]
    return [_part(part) for part in parts]


def _part(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("text"), str) and "text" in str(part.get("type", "text")):
        return part["text"]
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    return url if isinstance(url, str) and DATA_URL.match(url) else part


def _short(value: Any) -> str:
    return value[:120] if isinstance(value, str) else ""
