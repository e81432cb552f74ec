"""What every world offers, and how an attempt in it becomes a conversation with tool calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from stet.traces.steps import Run, run_of

REFUSED = "refused: "
MOST_STEPS = 24


@dataclass(frozen=True)
class Use:
    """A move that calls a tool."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def raw(self) -> str:
        return json.dumps(dict(self.arguments), sort_keys=True)


@dataclass(frozen=True)
class Say:
    """A move that says something without a call: the end of the attempt."""

    text: str


Move = Use | Say


class Posed(Protocol):
    """What a task of any world has: its name, what is asked, and what splits hold out by."""

    @property
    def id(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def instruction(self) -> str: ...
    @property
    def tools(self) -> Sequence[Mapping[str, Any]]: ...


T = TypeVar("T", bound=Posed)
S = TypeVar("S")


class World(Protocol[T, S]):
    """A world with exact outcomes. Whatever a state does next, its restored snapshot does too."""

    def tasks(self, seed: int, n: int, split: str) -> list[T]: ...
    def reset(self, task: T) -> S: ...
    def act(self, state: S, call: Use) -> str: ...
    def snapshot(self, state: S) -> bytes: ...
    def restore(self, stored: bytes) -> S: ...
    def outcome(self, state: S, task: T) -> bool: ...
    def anomalies(self, run: Run, task: T) -> dict[int, str]: ...
    def end(self, state: S, text: str) -> None: ...


class Policy(Protocol):
    """Says the next move after a run; ``note`` is advice that nobody else sees."""

    def act(self, run: Run, note: str | None = None) -> Move: ...


@dataclass
class Attempt(Generic[T, S]):
    """One attempt at a task: the state as it is and the conversation so far."""

    world: World[T, S]
    task: T
    state: S
    messages: list[dict[str, Any]] = field(default_factory=list)
    over: bool = False

    @classmethod
    def begin(cls, world: World[T, S], task: T) -> Attempt[T, S]:
        asked = {"role": "user", "content": task.instruction}
        return cls(world, task, world.reset(task), [asked])

    @property
    def run(self) -> Run:
        return run_of(self.messages, self.task.tools)

    @property
    def steps(self) -> int:
        return sum(message["role"] == "assistant" for message in self.messages)

    def take(self, move: Move, refusal: str | None = None) -> str | None:
        """Make the move and return what came of it; with ``refusal`` only that is said."""
        if self.over:
            raise ValueError("the attempt is over")
        if isinstance(move, Say):
            self.messages.append({"role": "assistant", "content": move.text})
            self.world.end(self.state, move.text)
            self.over = True
            return None
        named = f"call_{self.steps}"
        function = {"name": move.name, "arguments": move.raw}
        call = {"id": named, "type": "function", "function": function}
        self.messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        seen = self.world.act(self.state, move) if refusal is None else REFUSED + refusal
        self.messages.append({"role": "tool", "tool_call_id": named, "content": seen})
        self.over = self.steps >= MOST_STEPS
        return seen

    def play(self, policy: Policy, note: str | None = None) -> Attempt[T, S]:
        """Go on to the end."""
        while not self.over:
            self.take(policy.act(self.run, note))
        return self

    def kept(self) -> tuple[bytes, list[dict[str, Any]]]:
        """(snapshot, messages): what `resumed` goes on from."""
        return self.world.snapshot(self.state), list(self.messages)

    @classmethod
    def resumed(
        cls, world: World[T, S], task: T, kept: tuple[bytes, list[dict[str, Any]]]
    ) -> Attempt[T, S]:
        stored, messages = kept
        return cls(world, task, world.restore(stored), list(messages))

    @property
    def completed(self) -> bool:
        return self.world.outcome(self.state, self.task)

    @property
    def abnormal(self) -> dict[int, str]:
        """The anomalous calls by ordinal; a refused call is none."""
        return self.world.anomalies(self.run, self.task)
