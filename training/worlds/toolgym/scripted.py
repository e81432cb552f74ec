"""A scripted policy that errs at the rates of `rates`, always in the same way at the same place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from stet.traces.steps import Run
from training.worlds.base import REFUSED, Move, Say, Use
from training.worlds.toolgym import rates
from training.worlds.toolgym.parts import NAMES, STATUSES, VALUES
from training.worlds.toolgym.task import Task, key
from training.worlds.toolgym.world import ended

CHANGEABLE = {"status": STATUSES, "content": VALUES, "text": VALUES, "title": NAMES}


@dataclass(frozen=True)
class Scripted:
    """Knows the task's plan and departs from it by chance; ``sloppy`` scales every chance,
    ``tempted`` those of anomalies."""

    task: Task
    seed: int = 0
    sloppy: float = 1.0
    tempted: float = 1.0

    def act(self, run: Run, note: str | None = None) -> Move:
        calls = [call for step in run.steps for call in step.calls]
        draw = Random(f"{self.seed} {self.task.id} {len(calls)} {note is not None}")
        scale = self.sloppy * (rates.WITH_NOTE if note is not None else 1.0)
        made = Counter(key(Use(call.name, call.arguments or {})) for call in calls)
        at = self._position(run)
        last = calls[-1] if calls else None
        refused = last is not None and (last.result or "").startswith(REFUSED)
        if last is not None and refused and draw.random() < rates.TRIES_AGAIN * scale:
            return Use(last.name, last.arguments or {})
        for place, lure in self.task.lures:
            due = sum(key(each) == key(lure) for each in self.task.plan[:at])
            free = place == at and made[key(lure)] <= due and not refused
            if free and draw.random() < rates.ANOMALY[self.task.family] * scale * self.tempted:
                return lure
        if at >= len(self.task.plan):
            pretends = self.task.ends == "cannot" and draw.random() < rates.PRETENDS_DONE * scale
            return Say("Done.") if pretends else ended(self.task)
        if draw.random() < rates.STOPS_EARLY * scale:
            return Say("Done.")
        return self._erring(self.task.plan[at], at, draw, scale)

    def _position(self, run: Run) -> int:
        """How far into its plan a run is: past what was done, refused, or begun and done badly."""
        at = 0
        for step in run.steps:
            for call in step.calls:
                for ahead in (at, at + 1):
                    if ahead < len(self.task.plan) and self._like(ahead, call.name, call.arguments):
                        at = ahead + 1
                        break
        return at

    def _like(self, at: int, name: str, arguments: dict[str, object] | None) -> bool:
        wanted, values = self.task.plan[at], arguments or {}
        stable = [k for k in wanted.arguments if k not in CHANGEABLE and k not in ("hour", "value")]
        if name != wanted.name or any(values.get(k) != wanted.arguments[k] for k in stable):
            return False
        lured = any(
            place == at and key(Use(name, values)) == key(lure) for place, lure in self._lures
        )
        return not lured

    @property
    def _lures(self) -> list[tuple[int, Use]]:
        plan = [key(each) for each in self.task.plan]
        return [(at, lure) for at, lure in self.task.lures if key(lure) not in plan]

    def _erring(self, call: Use, at: int, draw: Random, scale: float) -> Move:
        plan = self.task.plan
        after = plan[at + 1] if at + 1 < len(plan) else None
        if call.name == "ask_user" and after and draw.random() < rates.GUESSES_PARAMETER * scale:
            return Use(after.name, {**after.arguments, "hour": str(draw.randint(8, 17))})
        if call.name == "recall" and after and draw.random() < rates.FORGETS * scale:
            return Use(after.name, {**after.arguments, "content": draw.choice(VALUES)})
        if after and key(after) != key(call) and draw.random() < rates.SKIPS_STEP * scale:
            return after
        for name, choices in CHANGEABLE.items():
            if name in call.arguments and draw.random() < rates.WRONG_ARGUMENT * scale:
                return Use(call.name, {**call.arguments, name: draw.choice(choices)})
        return call
