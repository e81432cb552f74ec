"""The state of the tool world: a few files, records, tickets, slots and messages; plain JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class State:
    """``log`` has each call as [name, arguments as JSON, whether it did something]; ``draw`` is the
    source of confirmation numbers, so that no two answers to the same call are alike."""

    files: dict[str, str] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)
    records: dict[str, dict[str, str]] = field(default_factory=dict)
    tickets: dict[str, str] = field(default_factory=dict)
    slots: dict[str, str] = field(default_factory=dict)
    outbox: list[list[str]] = field(default_factory=list)
    published: dict[str, str] = field(default_factory=dict)
    memory: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    offered: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    log: list[list[Any]] = field(default_factory=list)
    draw: int = 1
    ended: str = ""

    def number(self) -> int:
        """The next confirmation number, three digits."""
        self.draw = (self.draw * 1103515245 + 12345) % 2**31
        return 100 + (self.draw >> 8) % 900

    def facts(self) -> dict[str, Any]:
        """What the world holds in the end, without how it came there."""
        whole = asdict(self)
        kept = ("files", "records", "tickets", "slots", "outbox", "published", "ended")
        facts = {name: whole[name] for name in kept}
        facts["tickets"] = sorted(self.tickets.values())
        facts["outbox"] = sorted(self.outbox)
        return facts

    def stored(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True).encode()

    @classmethod
    def loaded(cls, stored: bytes) -> State:
        return cls(**json.loads(stored))
