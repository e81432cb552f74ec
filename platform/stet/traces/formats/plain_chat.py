"""Plain chats: bare lists of messages, ``conversations`` of from and value, prompt and answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from . import head as heads
from .base import BadRow, Conversation, LineError, Message, as_stream
from .messages import check_id, check_messages, check_tools
from .rows import rows

_ROLE_OF = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "observation": "tool",
    "tool": "tool",
}
_LISTS = ("conversations", "conversation")
_ASKED = ("prompt", "question")
_ANSWERED = ("response", "completion", "answer")


class PlainChat:
    """One conversation a row; keys that are no part of the conversation become metadata."""

    name = "plain-chat"

    def detect(self, head: bytes | Mapping[str, Any]) -> bool:
        return any(_looks_plain(opening, keys) for opening, keys in heads.shapes(head))

    def read(
        self, source: bytes | BinaryIO, *, files: Path | None = None
    ) -> Iterator[Conversation | LineError]:
        for row in rows(as_stream(source)):
            if isinstance(row, LineError):
                yield row
                continue
            number, value = row
            try:
                yield _conversation(value)
            except BadRow as error:
                yield LineError(number, error.reason)


def _looks_plain(opening: str, keys: frozenset[str]) -> bool:
    if "messages" in keys or "dialogs" in keys:
        return False
    if opening in ("[{", "[[{") and "role" in keys:
        return True
    asked = any(key in keys for key in _ASKED) and any(key in keys for key in _ANSWERED)
    return opening in ("{", "[{") and (asked or any(key in keys for key in _LISTS))


def _conversation(value: Any) -> Conversation:
    if isinstance(value, list):
        return Conversation(None, check_messages(value))
    if not isinstance(value, dict):
        raise BadRow(_("neither an object nor a list of messages"))
    listed = next((key for key in _LISTS if key in value), None)
    used = {"id", "system", "tools"}
    if listed is not None:
        used.add(listed)
        turns = value[listed]
        messages = [_turn(turn) for turn in turns] if isinstance(turns, list) else turns
    else:
        asked = next((key for key in _ASKED if key in value), "")
        answered = next((key for key in _ANSWERED if key in value), "")
        if not asked or not answered:
            raise BadRow(_("no conversation: neither a list of turns nor a prompt and an answer"))
        used |= {asked, answered}
        messages = [
            {"role": "user", "content": value[asked]},
            {"role": "assistant", "content": value[answered]},
        ]
    messages = check_messages(messages)
    if value.get("system"):
        messages = check_messages([{"role": "system", "content": value["system"]}, *messages])
    return Conversation(
        external_id=check_id(value.get("id")),
        messages=messages,
        tools=check_tools(value.get("tools")),
        metadata={key: kept for key, kept in value.items() if key not in used},
    )


def _turn(turn: Any) -> Message | Any:
    """A turn of from and value as a message; whatever else it is, the checks will say."""
    if not isinstance(turn, dict) or "role" in turn or "from" not in turn:
        return turn
    speaker = turn["from"]
    role = _ROLE_OF.get(speaker.lower()) if isinstance(speaker, str) else None
    if role is None:
        raise BadRow(_("unknown speaker “%(speaker)s”") % {"speaker": str(speaker)[:40]})
    rest = {key: kept for key, kept in turn.items() if key not in ("from", "value")}
    return {"role": role, "content": turn.get("value"), **rest}


FORMAT = PlainChat()
