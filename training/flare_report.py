"""What the risk of steps says of whole runs: ROC-AUC of a run's highest step risk and its failure.

The fitted risk is a logistic regression on what was visible when each step was made, with the
outcome of the run as the label of all its steps; it is fitted on four folds of tasks and asked
about the fifth. Nothing is chosen by the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewards.flare.calibration import brier, calibration_error, isotonic, roc_auc
from rewards.flare.render import rendered
from rewards.flare.taxonomy import ErrorClass
from rewards.sources.flare_heuristic import flare_heuristic
from rewards.verdict import Trace
from stet.traces.steps import Run
from training.statistics import Interval, Rows, paired_bootstrap

FOLDS, RIDGE, ROUNDS, DRAWS = 5, 1.0, 25, 2_000
Table = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A run of a task, whether it failed, the heuristic risk and the features of each step."""

    task: str
    failed: bool
    risks: tuple[float, ...]
    features: Table


@dataclass(frozen=True)
class Line:
    """A method's ROC-AUC with the interval by task; Brier score and calibration error of its risk
    after an isotonic fit on the other folds."""

    name: str
    auc: Interval
    brier: float
    error: float


def case_of(task: str, failed: bool, run: Run) -> Case | None:
    """None for a run that the heuristic cannot judge. Features [steps, F] of each step: its
    heuristic risk, its class, log(1 + steps) and log(1 + characters) of the visible prefix."""
    risks, rows = [], []
    for verdict in flare_heuristic(Trace({}, "", None, run)):
        assert verdict.step is not None
        value: dict[str, Any] = verdict.value
        classes = [float(value["class"] == each.value) for each in ErrorClass]
        size = len(rendered(run, verdict.step))
        risks.append(float(value["risk"]))
        rows.append([value["risk"], *classes, math.log1p(verdict.step), math.log1p(size)])
    return Case(task, failed, tuple(risks), np.array(rows)) if rows else None


def folds_of(tasks: Sequence[str]) -> dict[str, int]:
    """The fold of each task: all runs of a task share it."""
    order = np.random.default_rng(0).permutation(len(set(tasks)))
    return {task: int(at) % FOLDS for task, at in zip(sorted(set(tasks)), order, strict=True)}


def fitted(cases: Sequence[Case]) -> Callable[[Table], Table]:
    """Logistic regression with an L2 penalty of 1 on standardised features, by Newton's method."""
    table = np.concatenate([case.features for case in cases])
    label = np.concatenate([np.full(len(case.features), float(case.failed)) for case in cases])
    mean, scale = table.mean(0), table.std(0)
    scale[scale == 0] = 1.0

    def ready(rows: Table) -> Table:
        return np.hstack([(rows - mean) / scale, np.ones((len(rows), 1))])

    x = ready(table)
    weights = np.zeros(x.shape[1])
    penalty = RIDGE * np.eye(x.shape[1])
    penalty[-1, -1] = 1e-9
    for _round in range(ROUNDS):
        p = _sigmoid(x @ weights)
        slope = x.T @ (p - label) + penalty @ weights
        weights -= np.linalg.solve((x.T * (p * (1 - p))) @ x + penalty, slope)
    return lambda rows: _sigmoid(ready(rows) @ weights)


def _sigmoid(z: Table) -> Table:
    found: Table = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
    return found


def report(cases: Sequence[Case]) -> list[Line]:
    """The heuristic, the fitted risk, and the number of steps as a control that knows no fault."""
    fold = folds_of([case.task for case in cases])
    trained = [0.0] * len(cases)
    for number in range(FOLDS):
        risk = fitted([case for case in cases if fold[case.task] != number])
        for at, case in enumerate(cases):
            if fold[case.task] == number:
                trained[at] = float(risk(case.features).max())
    scores = {
        "flare-heuristic": [max(case.risks) for case in cases],
        "fitted on four folds": trained,
        "number of steps (control)": [float(len(case.risks)) for case in cases],
    }
    return [_line(name, values, cases, fold) for name, values in scores.items()]


def _line(name: str, scores: list[float], cases: Sequence[Case], fold: dict[str, int]) -> Line:
    failed = [case.failed for case in cases]
    tasks = sorted(fold)
    runs = [[at for at, case in enumerate(cases) if case.task == task] for task in tasks]

    def auc(table: Rows) -> float:
        taken = [at for (task,) in table for at in runs[int(task)]]
        found = roc_auc([scores[at] for at in taken], [failed[at] for at in taken])
        return math.nan if found is None else found

    interval = paired_bootstrap([[float(at)] for at in range(len(tasks))], auc, draws=DRAWS)
    risks = [0.0] * len(cases)
    for number in range(FOLDS):
        others = [at for at, case in enumerate(cases) if fold[case.task] != number]
        curve = isotonic([scores[at] for at in others], [failed[at] for at in others])
        for at, case in enumerate(cases):
            if fold[case.task] == number:
                risks[at] = curve(scores[at])
    return Line(
        name, interval, brier(risks, failed) or 0.0, calibration_error(risks, failed) or 0.0
    )
