"""The ``hash_map`` of panda files: big values are stored once, and named where they stand."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from django.utils.translation import gettext as _

from .base import BadRow, Message

PREFIX = "<|hash|>"
# As the package matches it: a line end after the name is part of the name.
_REFERENCE = re.compile(r"<\|hash\|>([A-Za-z0-9+/=]+\n?)\Z")
_BIG = 16_000
_MAX_EXPANDED = 512 * 1024 * 1024


def canonical(value: Any) -> str:
    """The text by which values are compared and hashed: sorted keys, compact, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def hash_name(value: Any) -> str:
    """Base64 of SHA-256 over the canonical text."""
    return base64.b64encode(hashlib.sha256(canonical(value).encode()).digest()).decode()


def reference(text: str) -> str | None:
    """The name that ``text`` refers to, if it has the form of a reference."""
    match = _REFERENCE.match(text)
    return match.group(1) if match else None


class Resolver:
    """Replaces references by their values; a text that only looks like one stays as it is."""

    def __init__(self, hash_map: dict[str, Any]) -> None:
        self._map = hash_map
        self._sizes: dict[str, int] = {}
        self._expanded = 0
        self.unknown: set[str] = set()

    def resolve(self, value: Any) -> Any:
        """A copy with references resolved once; values of the map are not searched again."""
        if isinstance(value, dict):
            return {key: self.resolve(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.resolve(inner) for inner in value]
        name = reference(value) if isinstance(value, str) else None
        if name is None:
            return value
        if name not in self._map:
            self.unknown.add(name)
            return value
        if name not in self._sizes:
            self._sizes[name] = len(canonical(self._map[name]))
        self._expanded += self._sizes[name]
        if self._expanded > _MAX_EXPANDED:
            raise BadRow(_("the values of “hash_map” unfold to more than 512 MB"))
        return self._map[name]


def protect(value: Any, hash_map: dict[str, Any]) -> Any:
    """A copy in which texts that only look like references go through ``hash_map`` as well."""
    if isinstance(value, dict):
        return {key: protect(inner, hash_map) for key, inner in value.items()}
    if isinstance(value, list):
        return [protect(inner, hash_map) for inner in value]
    if isinstance(value, str) and reference(value) is not None:
        return _stored(value, hash_map)
    return value


def pack_message(message: Message, hash_map: dict[str, Any]) -> Message:
    """A copy of a message with its big contents moved to ``hash_map``."""
    content = message.get("content")
    if isinstance(content, str) and len(content) > _BIG:
        return {**message, "content": _stored(content, hash_map)}
    if isinstance(content, list):
        return {**message, "content": [_packed_part(part, hash_map) for part in content]}
    return message


def _packed_part(part: Any, hash_map: dict[str, Any]) -> Any:
    kind = part.get("type") if isinstance(part, dict) else None
    inner = part.get(kind) if isinstance(kind, str) else None
    if inner is None or len(canonical(inner)) <= _BIG:
        return part
    return {**part, kind: _stored(inner, hash_map)}


def _stored(value: Any, hash_map: dict[str, Any]) -> str:
    name = hash_name(value)
    hash_map[name] = value
    return PREFIX + name
