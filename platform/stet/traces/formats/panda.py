"""Panda files, the ``.panda.json`` of onPanda 2.0 and before: whole conversations by number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from . import head as heads
from .base import BadRow, LineError, PandaDialog, PandaFile, as_stream
from .messages import check_tools
from .panda_hashes import Resolver
from .rows import MAX_DOCUMENT, rows

_NEWEST = (2, 0)
_KEY = re.compile(r"[0-9]{1,15}\Z")
_VERSION = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?(?:\.[0-9]{1,6})*\Z")


class Panda:
    """One document a file, or one a line."""

    name = "panda"

    def detect(self, head: bytes | Mapping[str, Any]) -> bool:
        return any(opening == "{" and "dialogs" in keys for opening, keys in heads.shapes(head))

    def read(
        self, source: bytes | BinaryIO, *, files: Path | None = None
    ) -> Iterator[PandaFile | LineError]:
        for row in rows(as_stream(source), limit=MAX_DOCUMENT):
            if isinstance(row, LineError):
                yield row
                continue
            number, value = row
            try:
                yield parse_panda(value)
            except BadRow as error:
                yield LineError(number, error.reason)


def parse_panda(raw: Any) -> PandaFile:
    """A parsed document as dialogs by number; raises BadRow where no sane reading is left.

    Null and missing values that stop the package have the meaning of "nothing there" here.
    """
    if not isinstance(raw, dict):
        raise BadRow(_("not an object"))
    _check_version(raw.get("version"))
    dialogs = raw.get("dialogs")
    if not isinstance(dialogs, dict) or not dialogs:
        raise BadRow(_("“dialogs” is not an object with at least one dialog"))
    hash_map = raw.get("hash_map")
    if not isinstance(hash_map, dict | None):
        raise BadRow(_("“hash_map” is not an object"))
    uuid = raw.get("uuid")
    if not isinstance(uuid, str | None):
        raise BadRow(_("“uuid” is not text"))
    resolver = Resolver(hash_map or {})
    parsed: dict[int, PandaDialog] = {}
    for text, dialog in dialogs.items():
        key = _number(text)
        if key is None or key in parsed:
            raise BadRow(_("the dialog key “%(key)s” is not a number of its own") % {"key": text})
        try:
            parsed[key] = _dialog(key, dialog, resolver)
        except BadRow as error:
            fault = {"key": key, "fault": error.reason}
            raise BadRow(_("dialog %(key)d: %(fault)s") % fault) from error
    return PandaFile(uuid, dict(sorted(parsed.items())), raw)


def parent_of(operations: list[dict[str, Any]]) -> int | None:
    """The number of the dialog that the first operation names, if it names one."""
    parent = operations[0].get("parent") if operations else None
    if parent is None:
        return None
    number = _number(parent)
    if number is None:
        raise BadRow(_("the parent is not the number of a dialog"))
    return number


def _check_version(version: Any) -> None:
    match = None if isinstance(version, bool) else _VERSION.match(str(version or "0.0"))
    if match is None:
        raise BadRow(_("“version” is not a version"))
    if (int(match[1]), int(match[2] or 0)) > _NEWEST:
        raise BadRow(_("version %(version)s is newer than 2.0") % {"version": match[0]})


def _number(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if _KEY.match(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _dialog(key: int, raw: Any, resolver: Resolver) -> PandaDialog:
    if not isinstance(raw, dict):
        raise BadRow(_("not an object"))
    dialog = resolver.resolve(raw)
    messages = dialog.get("messages")
    if not isinstance(messages, list) or not all(
        isinstance(message, dict) and isinstance(message.get("role"), str) for message in messages
    ):
        raise BadRow(_("“messages” is not a list of messages with a role"))
    operations = dialog.get("operations") or []
    if not isinstance(operations, list) or not all(isinstance(one, dict) for one in operations):
        raise BadRow(_("“operations” is not a list of objects"))
    parent_of(operations)
    annotate = dialog.get("annotate") or {}
    if not isinstance(annotate, dict):
        raise BadRow(_("“annotate” is not an object"))
    is_good = annotate.get("is_good")
    return PandaDialog(
        key=key,
        messages=messages,
        operations=operations,
        is_good=None if is_good is None else bool(is_good),
        tools=check_tools(dialog.get("tools")),
        raw=raw,
    )


FORMAT = Panda()
