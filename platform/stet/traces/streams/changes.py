"""Who of this process wants to hear that something changed: the tabs that show it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

Change = dict[str, Any]
Topic = tuple[str, int]
# Comments and the draft are of an episode, so whoever follows it hears of them as well.
WHATS = {"episode": ("episode", "comments", "draft"), "project": ("guideline",)}
TOPICS = {what: kind for kind, whats in WHATS.items() for what in whats}


def changed(what: str, id: int, version: int | None = None) -> Change:
    """The message; without a version its reader has to look."""
    change = {"type": "changed", "what": what, "id": id}
    return change if version is None else {**change, "version": version}


class Changes:
    """Lives on the loop of the web process."""

    def __init__(self) -> None:
        self._readers: dict[Topic, set[Reader]] = defaultdict(set)

    def tell(self, payload: str) -> None:
        """Hand a notice of ``stet.common.changes`` to everybody here who follows its topic."""
        what, key, *version = payload.split(" ")
        change = changed(what, int(key), *map(int, version))
        for reader in self._readers.get((TOPICS[what], change["id"]), ()):
            reader.take(change)

    def tell_all(self) -> None:
        """Notices were missed: everybody has to look at what they follow."""
        for kind, key in list(self._readers):
            for what in WHATS[kind]:
                self.tell(f"{what} {key}")

    def follow(self, reader: Reader, topic: Topic) -> None:
        """Let the reader hear of changes of the topic from now on."""
        self._readers[topic].add(reader)

    def leave(self, reader: Reader) -> None:
        for topic in [topic for topic, readers in self._readers.items() if reader in readers]:
            self._readers[topic].discard(reader)
            if not self._readers[topic]:
                del self._readers[topic]


class Reader:
    """What one reader has not taken yet, the latest of each kind, so that no queue grows."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], Change] = {}
        self._event = asyncio.Event()

    def take(self, change: Change) -> None:
        self._waiting[change["what"], change["id"]] = change
        self._event.set()

    async def next(self) -> Change:
        while not self._waiting:
            self._event.clear()
            await self._event.wait()
        return self._waiting.pop(next(iter(self._waiting)))
