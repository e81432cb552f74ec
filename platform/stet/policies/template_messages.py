"""Messages as the model server shapes them before its chat template sees them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from stet.common.errors import StetError
from stet.common.plain import flaw

SYSTEM_ROLES = ("system", "developer")

_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


def server_message(message: Mapping[str, Any], *, in_parts: bool) -> dict[str, Any]:
    """A message with the fields and the shapes that the model server hands a template.

    `in_parts`: the template walks over contents, so they are lists of text parts.
    """
    role = message.get("role")
    if not (isinstance(role, str) and _ROLE.fullmatch(role)):
        raise bad_message(_("A message needs a role, one plain word."))
    texts = texts_of(message.get("content"))
    kept: dict[str, Any] = {"role": role}
    if in_parts and role != "tool":
        kept["content"] = [{"type": "text", "text": text} for text in texts]
    else:
        # As the server does: it drops empty parts, except where its template takes parts.
        kept["content"] = "\n".join(texts if in_parts else filter(None, texts))
    if role == "assistant":
        if calls := message.get("tool_calls"):
            kept["tool_calls"] = list(map(_call, calls if isinstance(calls, list) else [None]))
        thought = message.get("reasoning") or message.get("reasoning_content")
        if isinstance(thought, str):
            kept |= {"reasoning": thought, "reasoning_content": thought}
    for key in ("name", "tool_call_id"):
        if isinstance(message.get(key), str) and (key == "name" or role == "tool"):
            kept[key] = message[key]
    return kept


def bad_message(detail: str) -> StetError:
    return StetError(detail, code="bad_message", status=422)


def texts_of(content: object) -> list[str]:
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    texts: list[str] = []
    for part in content if isinstance(content, list) else [None]:
        text = part.get("text") if isinstance(part, dict) else part
        kind = part.get("type", "text") if isinstance(part, dict) else "text"
        if not isinstance(text, str) or kind not in ("text", "input_text", "output_text"):
            raise bad_message(_("The content of a message is text, null, or a list of text parts."))
        texts.append(text)
    return texts


def _call(call: object) -> dict[str, Any]:
    """A tool call with its arguments as an object, which is what templates expect."""
    function = call.get("function") if isinstance(call, dict) else None
    if not (isinstance(call, dict) and isinstance(function, dict)):
        raise bad_message(_("A tool call needs a function with a name and arguments."))
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = None
    # What is nested too deep would break a template as much as what is no object.
    if not isinstance(arguments, dict) or flaw(arguments):
        arguments = {}
    return {**call, "function": {**function, "arguments": arguments}}


def one_system(chat: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Developer messages as system messages; all of them in one, unless there is one, in front."""
    chat = [m | {"role": "system"} if m["role"] == "developer" else m for m in chat]
    places = [i for i, message in enumerate(chat) if message["role"] == "system"]
    if places == [0]:
        return chat
    texts = ["\n".join(texts_of(chat[i]["content"])) for i in places]
    merged = {"role": "system", "content": "\n\n".join(filter(None, texts))}
    return [merged, *(message for message in chat if message["role"] != "system")]
