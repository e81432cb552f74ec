"""What an episode is, said in lists: the model that the real one is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Token = tuple[int, int, float | None]
"""(id, origin, log-probability as shown)"""
PROMPT, MODEL, CANDIDATE, HUMAN = 0, 1, 2, 3


@dataclass
class Reference:
    """``path`` is the head's; ``heads`` is what undo and redo walk over, ``at`` where they are.

    The path of a running generation grows when it is sealed, in every list that holds it.
    """

    path: list[Token]
    version: int = 0
    status: str = "open"
    live: str | None = None
    heads: list[list[Token]] = field(default_factory=list)
    at: int = 0
    known: dict[str, tuple[int, list[Token]]] = field(default_factory=dict)
    growing: tuple[str, list[Token]] | None = None

    def begun(self, segment: str) -> Reference:
        self.heads = [self.path]
        self.known[segment] = (0, self.path)
        return self

    def move(self, path: list[Token]) -> None:
        """An act that leaves another head."""
        self.version += 1
        self.heads = [*self.heads[: self.at + 1], path]
        self.at += 1
        self.path = path

    def act(self, status: str) -> None:
        """An act that leaves the head."""
        self.version, self.status = self.version + 1, status

    def go_on(self, generation: str, segment: str) -> None:
        self.grow(generation, segment)
        self.move(self.growing[1] if self.growing else self.path)

    def grow(self, generation: str, segment: str) -> None:
        """A generation begins behind the path."""
        self.live, self.growing = generation, (segment, list(self.path))

    def seal(self, rows: list[list[Any]]) -> None:
        """The generation has ended with these rows."""
        assert self.growing is not None
        segment, path = self.growing
        start = len(path)
        path.extend((row[0], MODEL, row[2]) for row in rows)
        if rows:
            self.known[segment] = (start, path)
        self.live = self.growing = None

    def correct(
        self, path: list[Token], position: int, new: list[Token], segment: str, live: Any
    ) -> None:
        """``new`` replaces what stood at ``position`` of ``path``, and perhaps goes on."""
        corrected = [*path[:position], *new]
        self.known[segment] = (position, list(corrected))
        self.live, self.growing = (
            (live["id"], (live["segment"], corrected)) if live else (None,) * 2
        )
        self.move(corrected)

    def step(self, by: int) -> None:
        """Undo (-1) or redo (+1)."""
        self.version += 1
        self.at += by
        self.path = self.heads[self.at]

    def shown(self, rows: list[list[Any]]) -> list[Token]:
        """The path with what has arrived of the live generation."""
        if self.live is None or self.growing is None or self.path is not self.growing[1]:
            return self.path
        return [*self.path, *((row[0], MODEL, row[2]) for row in rows)]
