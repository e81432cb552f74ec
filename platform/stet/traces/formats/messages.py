"""The rules for a list of messages in the manner of the OpenAI chat interface."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from .base import BadRow, Message

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
# Any of these lets an assistant message do without content.
_INSTEAD = ("tool_calls", "function_call", "refusal", "reasoning", "reasoning_content", "audio")


def check_messages(value: Any) -> list[Message]:
    """``value`` itself, if it is a list of sound messages; raises BadRow naming the first fault."""
    if not isinstance(value, list):
        raise BadRow(_("“messages” is not a list"))
    if not value:
        raise BadRow(_("“messages” is empty"))
    for number, message in enumerate(value, 1):
        fault = _fault(message)
        if fault:
            raise BadRow(_("message %(number)d: %(fault)s") % {"number": number, "fault": fault})
    return value


def check_tools(value: Any) -> list[dict[str, Any]] | None:
    """Tool schemas; raises BadRow unless they are a list of objects or absent."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(tool, dict) for tool in value):
        raise BadRow(_("“tools” is not a list of objects"))
    return value


def check_id(value: Any) -> str | None:
    """An id as text; numbers become their digits."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRow(_("“id” is neither text nor a whole number"))
    return str(value)


def _fault(message: Any) -> str:
    if not isinstance(message, dict):
        return _("not an object")
    role = message.get("role")
    if not isinstance(role, str):
        return _("no role")
    if role not in ROLES:
        return _("unknown role “%(role)s”") % {"role": role[:40]}
    return _content_fault(message, role) or _calls_fault(message.get("tool_calls"))


def _content_fault(message: Message, role: str) -> str:
    content = message.get("content")
    if content is None:
        if role == "assistant" and any(message.get(key) for key in _INSTEAD):
            return ""
        return _("no content")
    if isinstance(content, str):
        return ""
    if not isinstance(content, list):
        return _("content is neither text nor a list of parts")
    for part in content:
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            return _("a part of the content has no type")
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            return _("a text part holds no text")
    return ""


def _calls_fault(calls: Any) -> str:
    if calls is None:
        return ""
    if not isinstance(calls, list):
        return _("“tool_calls” is not a list")
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return _("a tool call without the name of a function")
        if not isinstance(function.get("arguments"), str | dict | None):
            return _("the arguments of a tool call are neither text nor an object")
    return ""
