"""The ``stet`` part of a panda file: written beside the format, and read back from it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.utils.translation import gettext as _

from stet.traces.formats.base import BadRow, PandaFile
from stet.traces.formats.panda_hashes import Resolver, hash_name
from stet.traces.formats.panda_tree import panda_tree

from .panda_description import Chosen, Message, PandaExport, PandaVersion, Rejected
from .panda_planned import Planned

SCHEMA = 1
_OWN_FIELDS = ("dialogs", "hash_map", "deleted_dialogs", "uuid", "update_time", "stet")


def beside(export: PandaExport, own: list[Planned], hash_map: dict[str, Any]) -> dict[str, Any]:
    """What the format cannot hold, enough to restore the description."""
    order = {version.key: (at, version) for at, version in enumerate(export.versions)}
    return {
        "schema": SCHEMA,
        "export": export.stet,
        "prompt": export.prompt,
        "tools": export.tools,
        "hash_names": sorted(hash_map.keys() - export.hash_map.keys()),
        "dialogs": {
            str(one.number): _record(one, *order.get(one.version.key, (-1, one.version)))
            for one in own
        },
        "set_aside": {str(one.number): one.set_aside for one in own if one.set_aside},
        "other": export.extra.get("stet"),
    }


def panda_to_export(file: PandaFile) -> PandaExport:
    """The description of a file: our own versions restored, all other dialogs as they came.

    A version that somebody changed in another tool since counts as a dialog of the file, and one
    that was deleted there stays deleted. Raises BadRow if the ``stet`` part is damaged.
    """
    stet = file.stet if file.stet and file.stet.get("schema") == SCHEMA else None
    extra = {key: value for key, value in file.raw.items() if key not in _OWN_FIELDS}
    if stet is None and "stet" in file.raw:
        extra["stet"] = file.raw["stet"]
    try:
        return _restored(file, stet or {}, extra)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRow(_("the part under “stet” is damaged")) from error


def _record(one: Planned, order: int, given: PandaVersion) -> dict[str, Any]:
    told = asdict(replace(given, messages=[]))
    for key in ("messages", "raw", "number"):
        del told[key]
    last = one.messages[-1]
    empty = "null" if "content" in last else "absent"
    return {
        "version": told,
        "order": order,
        "inserted": one.inserted,
        "finish_reason": one.version.finish_reason,
        "written_good": one.is_good,
        "empty": empty if last.get("content") is None else "",
        "seal": hash_name(one.messages),
    }


def _restored(file: PandaFile, stet: dict[str, Any], extra: dict[str, Any]) -> PandaExport:
    hash_map = file.raw.get("hash_map") or {}
    deleted = dict(file.raw.get("deleted_dialogs") or {})
    prompt: list[Message] = stet.get("prompt", [])
    records: dict[str, Any] = stet.get("dialogs", {})
    renamed: dict[str, str | None] = {}
    ours: list[tuple[int, PandaVersion]] = []
    consumed: set[int] = set()
    for number, record in records.items():
        aside = number in stet["set_aside"]
        dialog = (deleted if aside else file.raw["dialogs"]).get(number)
        messages = _messages(dialog, record, Resolver(hash_map)) if dialog else None
        if dialog is None or messages is None:
            told = record["version"]
            renamed[told["key"]] = f"dialog-{number}" if dialog else told["parent_key"]
            continue
        deleted.pop(number, None) if aside else consumed.add(int(number))
        if not record["inserted"]:
            version = _version(record, dialog, messages[len(prompt) :])
            ours.append((record["order"], version))
    if extra.get("version") == "2.0":
        del extra["version"]
    if stet.get("other") is not None:
        extra["stet"] = stet["other"]
    restored = [version for _order, version in sorted(ours, key=lambda pair: pair[0])]
    return PandaExport(
        uuid=file.uuid,
        prompt=prompt,
        versions=[*_foreign(file, consumed), *(_reparented(one, renamed) for one in restored)],
        tools=stet.get("tools"),
        update_time=file.raw.get("update_time"),
        stet=stet.get("export", {}),
        hash_map={k: v for k, v in hash_map.items() if k not in stet.get("hash_names", ())},
        deleted=deleted,
        extra=extra,
    )


def _messages(
    dialog: dict[str, Any], record: dict[str, Any], resolver: Resolver
) -> list[Message] | None:
    """The messages as they were described, None if they are no longer those."""
    messages: list[Message] = resolver.resolve(dialog["messages"])
    last = messages[-1] if messages else {}
    if record["finish_reason"] is not None:
        last.pop("finish_reason", None)
    if record["empty"] == "null":
        last["content"] = None
    elif record["empty"]:
        last.pop("content", None)
    return messages if hash_name(messages) == record["seal"] else None


def _version(
    record: dict[str, Any], dialog: dict[str, Any], messages: list[Message]
) -> PandaVersion:
    told = dict(record["version"])
    for key, kind in (("chosen", Chosen), ("rejected", Rejected)):
        told[key] = kind(**told[key]) if told[key] is not None else None
    is_good = (dialog.get("annotate") or {}).get("is_good")
    if is_good is not None and is_good != record["written_good"]:
        told["is_good"] = bool(is_good)
    return PandaVersion(**told, messages=messages)


def _reparented(version: PandaVersion, renamed: dict[str, str | None]) -> PandaVersion:
    parent = version.parent_key
    while parent in renamed:
        parent = renamed[parent]
    return version if parent == version.parent_key else replace(version, parent_key=parent)


def _foreign(file: PandaFile, consumed: set[int]) -> list[PandaVersion]:
    tree = panda_tree(file)
    versions = []
    for number, dialog in file.dialogs.items():
        if number in consumed:
            continue
        parent = tree.to_parent.get(number)
        first = dialog.operations[0] if dialog.operations else {}
        versions.append(
            PandaVersion(
                key=f"dialog-{number}",
                messages=dialog.messages,
                operation=str(first.get("operator", "auto")),
                parent_key=None if parent is None else f"dialog-{parent}",
                is_good=number in tree.good,
                tools=dialog.tools,
                raw=dialog.raw,
                number=number,
            )
        )
    return versions
