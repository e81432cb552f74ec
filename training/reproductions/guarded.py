"""Attempts in `toolgym` under a guard, and what came of each, for experiments and controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Protocol

from stet.traces.steps import Run
from training.worlds.base import Attempt, Use
from training.worlds.toolgym.state import State
from training.worlds.toolgym.task import Task
from training.worlds.toolgym.trained import Trained
from training.worlds.toolgym.world import ToolGym

Played = Attempt[Task, State]


class Guard(Protocol):
    """``share`` is the part of its rules that an instruction activates, in [0, 1]. ``refusal`` says
    why a call may not be made after a run, or None where it may."""

    def share(self, instruction: str) -> float: ...
    def refusal(self, run: Run, call: Use) -> str | None: ...


class NoGuard:
    """Lets everything pass."""

    def share(self, instruction: str) -> float:
        return 0.0

    def refusal(self, run: Run, call: Use) -> str | None:
        return None


@dataclass
class AtRandom:
    """The control that refuses blindly: each call by the same chance, without looking at it."""

    chance: float
    seed: int = 0
    asked: int = 0

    def share(self, instruction: str) -> float:
        return 1.0

    def refusal(self, run: Run, call: Use) -> str | None:
        self.asked += 1
        draw = Random(f"{self.seed} {self.asked}").random()
        return "not this call" if draw < self.chance else None


@dataclass(frozen=True)
class Row:
    """What became of one task. ``stopped`` counts refused calls that would have been anomalous,
    ``wronged`` those that would not; ``read`` and ``written`` are the policy's tokens for the whole
    batch divided by its tasks."""

    task: str
    kind: str
    family: str
    abnormal: bool
    completed: bool
    calls: int
    stopped: int
    wronged: int
    share: float
    read: float
    written: float

    def data(self) -> dict[str, Any]:
        return asdict(self)


def play(
    world: ToolGym, tasks: Sequence[Task], policy: Trained, guard: Guard
) -> tuple[list[Row], list[Played]]:
    """One attempt a task, all side by side; a refused call changes nothing in the world."""
    attempts = [Attempt.begin(world, task) for task in tasks]
    stopped, wronged = [0] * len(tasks), [0] * len(tasks)
    read, written = policy.read, policy.written
    while live := [n for n, each in enumerate(attempts) if not each.over]:
        runs = [attempts[n].run for n in live]
        moves = policy.act_many(runs, [None] * len(live))
        for n, run, move in zip(live, runs, moves, strict=True):
            said = guard.refusal(run, move) if isinstance(move, Use) else None
            if said is not None and isinstance(move, Use):
                wrong = _anomalous(attempts[n], move)
                stopped[n] += wrong
                wronged[n] += not wrong
            attempts[n].take(move, said)
    count = len(tasks)
    rows = [
        Row(
            task=task.id,
            kind=task.kind,
            family=task.family,
            abnormal=bool(each.abnormal),
            completed=each.completed,
            calls=sum(len(step.calls) for step in each.run.steps),
            stopped=stopped[n],
            wronged=wronged[n],
            share=guard.share(task.instruction),
            read=(policy.read - read) / count,
            written=(policy.written - written) / count,
        )
        for n, (task, each) in enumerate(zip(tasks, attempts, strict=True))
    ]
    return rows, attempts


def _anomalous(attempt: Played, call: Use) -> bool:
    """Whether the call would be an anomaly if it were made: tried in a restored copy."""
    twin = Attempt.resumed(attempt.world, attempt.task, attempt.kept())
    ordinal = sum(len(step.calls) for step in twin.run.steps)
    twin.take(call)
    return ordinal in twin.abnormal


def by_task(
    found: Sequence[Mapping[str, Any]], conditions: Sequence[str], value: str, **where: Any
) -> list[list[float]]:
    """One row a task, one column a condition: the mean over seeds of ``value`` > 0 where it is a
    count or a truth, else of itself. ``where`` picks rows whose value is among those given.

    ``found`` has one mapping a seed, from condition to the rows of its tasks.
    """
    sums: dict[str, list[float]] = {}
    for result in found:
        for column, condition in enumerate(conditions):
            for row in result[condition]:
                if all(row[name] in wanted for name, wanted in where.items()):
                    own = row[value]
                    number = own if isinstance(own, float) else float(own > 0)
                    sums.setdefault(row["task"], [0.0] * len(conditions))[column] += number
    return [[each / len(found) for each in sums[task]] for task in sorted(sums)]
