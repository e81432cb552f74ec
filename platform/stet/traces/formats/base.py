"""What a foreign trace becomes, and the register of the formats it may come in."""

from __future__ import annotations

import importlib
import io
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Protocol

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One recorded conversation; its messages are kept as they were received."""

    external_id: str | None
    messages: list[Message]
    tools: list[dict[str, Any]] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PandaDialog:
    """One whole conversation of a panda file; hash references are resolved except in ``raw``."""

    key: int
    messages: list[Message]
    operations: list[dict[str, Any]]
    is_good: bool | None
    tools: list[dict[str, Any]] | None
    raw: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PandaFile:
    """One prompt session of a panda file; ``raw`` is the document, nothing left out."""

    uuid: str | None
    dialogs: dict[int, PandaDialog]
    raw: dict[str, Any]

    @property
    def stet(self) -> dict[str, Any] | None:
        """What an export of this project wrote beside the format, if this is one."""
        own = self.raw.get("stet")
        return own if isinstance(own, dict) else None


@dataclass(frozen=True, slots=True)
class LineError:
    """Why a part of the input was left out.

    ``number`` counts lines of JSON Lines, items of a JSON array, and is 1 for a single document.
    """

    number: int
    reason: str


Item = Conversation | PandaFile


class BadRow(Exception):
    """A row breaks a rule of its format; ``reason`` is fit to show."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Format(Protocol):
    """One way in which traces are written down; a module of this package offers it as FORMAT."""

    @property
    def name(self) -> str: ...

    def detect(self, head: bytes | Mapping[str, Any]) -> bool:
        """Whether the first bytes of a file, or one parsed row, look like this format."""
        ...

    def read(
        self, source: bytes | BinaryIO, *, files: Path | None = None
    ) -> Iterator[Item | LineError]:
        """Items and errors in the order of the input; ``files`` is a folder for ``@file:NAME``."""
        ...


@cache
def formats() -> dict[str, Format]:
    """Every format of this package by name."""
    package = __name__.rpartition(".")[0]
    found: dict[str, Format] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        offered = getattr(importlib.import_module(f"{package}.{module.name}"), "FORMAT", None)
        if offered is not None:
            found[offered.name] = offered
    return found


def detect_format(head: bytes | Mapping[str, Any]) -> Format | None:
    """The format that recognises ``head``, or None."""
    return next((known for known in formats().values() if known.detect(head)), None)


def as_stream(source: bytes | BinaryIO) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else source
