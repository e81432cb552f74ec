"""Rows with ``messages`` in the manner of the OpenAI chat interface, as JSON Lines or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from . import head as heads
from .base import BadRow, Conversation, LineError, Message, as_stream
from .messages import check_id, check_messages, check_tools
from .rows import rows

_REFERENCE = "@file:"


class OpenAIMessages:
    """``id`` becomes the external id; keys beside ``messages`` and ``tools`` become metadata."""

    name = "openai-messages"

    def detect(self, head: bytes | Mapping[str, Any]) -> bool:
        return any(
            opening in ("{", "[{") and "messages" in keys and "dialogs" not in keys
            for opening, keys in heads.shapes(head)
        )

    def read(
        self, source: bytes | BinaryIO, *, files: Path | None = None
    ) -> Iterator[Conversation | LineError]:
        """Conversations in order; a system content ``@file:NAME`` is read from ``files`` if given.

        A named file that is not there is an error of its row.
        """
        for row in rows(as_stream(source)):
            if isinstance(row, LineError):
                yield row
                continue
            number, value = row
            try:
                yield _conversation(value, files)
            except BadRow as error:
                yield LineError(number, error.reason)


def _conversation(value: Any, files: Path | None) -> Conversation:
    if not isinstance(value, dict):
        raise BadRow(_("not an object"))
    if "messages" not in value:
        raise BadRow(_("no “messages”"))
    messages = check_messages(value["messages"])
    if files is not None:
        messages = [_resolved(message, files) for message in messages]
    return Conversation(
        external_id=check_id(value.get("id")),
        messages=messages,
        tools=check_tools(value.get("tools")),
        metadata={key: kept for key, kept in value.items() if key not in _OWN},
    )


_OWN = frozenset({"id", "messages", "tools"})


def _resolved(message: Message, files: Path) -> Message:
    content = message.get("content")
    if message["role"] != "system" or not isinstance(content, str):
        return message
    name = content.removeprefix(_REFERENCE)
    if name == content:
        return message
    path = files / name
    if Path(name).name != name or path.is_symlink() or not path.is_file():
        raise BadRow(_("the file “%(name)s” was not sent along") % {"name": name[:80]})
    try:
        return {**message, "content": path.read_bytes().decode("utf-8")}
    except UnicodeDecodeError as error:
        raise BadRow(_("the file “%(name)s” is not UTF-8") % {"name": name[:80]}) from error


FORMAT = OpenAIMessages()
