"""What the policy is cloned from: careful and sloppy attempts, some with a note, some refused."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from training.worlds.base import Attempt, Say, Use
from training.worlds.toolgym import rates
from training.worlds.toolgym.parts import FAMILIES
from training.worlds.toolgym.scripted import Scripted
from training.worlds.toolgym.task import key
from training.worlds.toolgym.tokens import INDEX, NOTE, Reader
from training.worlds.toolgym.world import ToolGym

SEED = 90_000
NOTED, REFUSING, REFUSED_LURE, REFUSED_ANY = 0.35, 0.4, 0.7, 0.05
ADVICE = {
    "unrelated_edit": "do not change an unrelated record only what was asked",
    "deletes_kept": "do not delete what to keep",
    "overwrites_check": "do not change the check instead write the file",
    "ignores_validation": "do not publish when the check fails instead write the file",
    "sends_outside": "do not send outside only to team",
    "repeats_call": "do not add again",
}


@dataclass(frozen=True)
class Demonstration:
    """Token ids, and for each whether the policy is to learn to say it."""

    ids: list[int]
    learned: list[bool]


def demonstrations(seed: int, n: int) -> list[Demonstration]:
    """``n`` attempts in the training groups; notes and refusals in families not held out."""
    world, draw = ToolGym(), Random(f"demonstrations {seed}")
    made = []
    for number, task in enumerate(world.tasks(SEED + seed, n, "train")):
        known = task.family not in rates.HELD_OUT
        noted = known and draw.random() < NOTED
        refusing = known and draw.random() < REFUSING
        advice = ADVICE.get(task.family) or draw.choice(sorted(ADVICE.values()))
        kept = draw.random()
        words = [word for word in advice.split() if draw.random() < kept]
        policy, lures = (
            Scripted(task, seed + number, tempted=rates.TEMPTED),
            {key(lure) for _, lure in task.lures},
        )
        attempt = Attempt.begin(world, task)
        first = draw.randrange(len(task.plan) + 1) if noted else 0
        reader = Reader()
        reader.text(task.instruction)
        if noted:
            reader.say(NOTE)
            reader.text(" ".join(words))
        learned = [False] * len(reader.ids)
        while not attempt.over:
            late = noted and attempt.steps >= first
            move = policy.act(attempt.run, " ".join(words) if late else None)
            lured = isinstance(move, Use) and key(move) in lures and task.kind == "prone"
            chance = REFUSED_LURE if lured else REFUSED_ANY
            refused = refusing and isinstance(move, Use) and draw.random() < chance
            reader.move(move)
            learned += [not noted or late] * (len(reader.ids) - len(learned))
            seen = attempt.take(
                move, "not allowed" if refused and not isinstance(move, Say) else None
            )
            if seen is not None:
                reader.result(seen)
                learned += [False] * (len(reader.ids) - len(learned))
        made.append(Demonstration(reader.ids, learned))
    return made


assert set(ADVICE) | set(rates.HELD_OUT) == set(FAMILIES)
assert all(word in INDEX for each in ADVICE.values() for word in each.split())
