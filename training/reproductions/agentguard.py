"""AgentGuard (arXiv 2609.16287, 2601.10440): rules mined from 300 runs of the trained policy, tried
on held-out tasks and on families of anomalies that no run showed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rewards.guard import mining
from rewards.guard.rules import RuleSet
from stet.traces.steps import Call, Run
from training.reproductions.guarding import SEEDS, Mined, figures, run
from training.reproductions.harness import Reproduction
from training.worlds.base import Use

STOPS = ("ask", "block")


class Rules:
    """`training.reproductions.guarded.Guard` over a rule set; nobody is there to be asked, so that
    what the rules would ask about is refused."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def share(self, instruction: str) -> float:
        every = len(self.rules.rules)
        return len(self.rules.active(instruction)) / every if every else 0.0

    def refusal(self, run: Run, call: Use) -> str | None:
        history = [each for step in run.steps for each in step.calls]
        asked = Call(len(history), call.name, dict(call.arguments), call.raw)
        decided = self.rules.check(run.instruction, history, asked)
        if decided.decision not in STOPS:
            return None
        return f"{decided.message} {decided.alternative}"


def mine(traces: Sequence[mining.Labelled]) -> Mined:
    """The product's miner on runs that had an anomaly against those that had none."""
    rules = mining.mine(
        [one for one in traces if one.anomalies], [one for one in traces if not one.anomalies]
    )
    return Mined(Rules(RuleSet(rules)), Rules(RuleSet(rules, always_on=True)), len(rules))


REPRODUCTION = Reproduction(
    "agentguard", "arXiv 2609.16287", seeds=SEEDS, run=partial(run, mine), figures=figures
)
