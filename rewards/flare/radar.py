"""RADAR, the labels of FLARE (arXiv 2609.23808): failed runs are traced back to the step where they
broke, and errors put into good runs are graded by how often the policy recovers.

The environment is anything that restores its snapshots exactly. What is paid for hindsight (a
replay, a rollout) decides the label alone; the input of a model is the prefix (`render.py`), and
the evidence of a label names no step after the labelled one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from rewards.flare.taxonomy import Level

S = TypeVar("S")
M = TypeVar("M", contravariant=True)
MINOR, MAJOR = 0.34, 0.67


class Environment(Protocol[S, M]):
    """A world for one task; ``act`` returns what was seen, ``outcome`` whether the task is done."""

    def snapshot(self, state: S) -> bytes: ...
    def restore(self, stored: bytes) -> S: ...
    def act(self, state: S, move: M) -> str: ...
    def outcome(self, state: S) -> bool: ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of a run: whether the task was done, and what was seen at each step."""

    done: bool
    seen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """How bad a step was, and the steps up to it that show so."""

    step: int
    level: Level
    evidence: tuple[int, ...] = ()


def replay(environment: Environment[S, M], start: bytes, moves: Iterable[M]) -> Replayed:
    """The moves, made again from a snapshot."""
    state = environment.restore(start)
    seen = tuple([environment.act(state, move) for move in moves])
    return Replayed(environment.outcome(state), seen)


def chain_of(
    environment: Environment[S, M],
    start: bytes,
    moves: Sequence[M],
    *,
    failing: int,
    uses: Callable[[int], Iterable[int]],
    corrected: Callable[[int], M | None],
    fails: Callable[[str], bool],
) -> list[int]:
    """The causal chain of a failed run: root first, ``failing`` (its last failing step) last.

    ``uses(n)`` are the steps whose output step n used, ``corrected(j)`` the right move at step j,
    None where none is known. Of these, the latest step before the head of the chain joins it
    if with its correction the task gets done or what was seen at ``failing`` no longer ``fails``.
    Raises IndexError for a step that is none, ValueError for a run that did not fail.
    """
    if not 0 <= failing < len(moves):
        raise IndexError(failing)
    if replay(environment, start, moves).done:
        raise ValueError("the run did not fail")
    chain = [failing]
    while True:
        earlier = sorted({step for step in uses(chain[0]) if 0 <= step < chain[0]}, reverse=True)
        for step in earlier:
            right = corrected(step)
            if right is None:
                continue
            changed = [*moves[:step], right, *moves[step + 1 :]]
            again = replay(environment, start, changed)
            if again.done or not fails(again.seen[failing]):
                chain.insert(0, step)
                break
        else:
            return chain


def chain_labels(chain: Sequence[int], steps: int) -> list[Label]:
    """A label for each of ``steps`` steps: the root critical, what it led to major, others ok."""
    labels = []
    for step in range(steps):
        if step not in chain:
            labels.append(Label(step, Level.OK))
            continue
        level = Level.CRITICAL if step == chain[0] else Level.MAJOR
        labels.append(Label(step, level, tuple(each for each in chain if each <= step)))
    return labels


def injected(
    environment: Environment[S, M],
    before: bytes,
    wrong: M,
    go_on: Callable[[S, str, int], None],
    *,
    m: int,
) -> float:
    """Severity of ``wrong`` at the snapshot ``before``: 1 - the share of m rollouts that recover.

    ``go_on(state, seen, n)`` plays the n-th rollout to its end from what the wrong move showed.
    """
    if m < 1:
        raise ValueError("a severity needs a rollout")
    recovered = 0
    for number in range(m):
        state = environment.restore(before)
        go_on(state, environment.act(state, wrong), number)
        recovered += environment.outcome(state)
    return 1 - recovered / m


def graded(severity: float) -> Level:
    """minor < 0.34 <= major < 0.67 <= critical; an injected error is never ok."""
    if not 0 <= severity <= 1:
        raise ValueError("a severity lies in [0, 1]")
    return Level.MINOR if severity < MINOR else Level.MAJOR if severity < MAJOR else Level.CRITICAL
