"""Intervals for experiments: the paired bootstrap over tasks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
DRAWS, LEVEL = 10_000, 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate with the bounds of its interval; NaN where the statistic is undefined."""

    value: float
    low: float
    high: float


def paired_bootstrap(
    rows: Sequence[Sequence[float]],
    statistic: Callable[[Rows], float],
    *,
    draws: int = DRAWS,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """The percentile interval (Efron 1979) of ``statistic`` over tasks drawn with replacement.

    ``rows`` [n tasks, k conditions]: a task keeps its conditions together, which is what pairs
    them. Average over seeds before, so that a task is one row. All ``n ** n`` samples are taken
    where they are no more than ``draws``. Samples whose statistic is not finite are left out.
    Raises ValueError where there is no row or the level is not in (0, 1).
    """
    table = np.asarray(rows, dtype=np.float64)
    if table.ndim != 2 or not len(table):
        raise ValueError("rows must be tasks by conditions, with one task at least")
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    count = len(table)
    if count**count <= draws:
        taken = np.array(list(itertools.product(range(count), repeat=count)))
    else:
        taken = np.random.default_rng(seed).integers(count, size=(draws, count))
    values = np.array([statistic(table[each]) for each in taken], dtype=np.float64)
    values = values[np.isfinite(values)]
    if not len(values):
        return Interval(float("nan"), float("nan"), float("nan"))
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail], method="inverted_cdf")
    return Interval(float(statistic(table)), float(low), float(high))


def mean_of(column: int) -> Callable[[Rows], float]:
    return lambda table: float(table[:, column].mean())


def difference(before: int, after: int) -> Callable[[Rows], float]:
    """mean(after) - mean(before)."""
    return lambda table: float(table[:, after].mean() - table[:, before].mean())


def relative_fall(before: int, after: int) -> Callable[[Rows], float]:
    """1 - mean(after) / mean(before); NaN where nothing was there before."""

    def fall(table: Rows) -> float:
        base = float(table[:, before].mean())
        return 1 - float(table[:, after].mean()) / base if base > 0 else float("nan")

    return fall


def ratio(over: int, under: int) -> Callable[[Rows], float]:
    """mean(over) / mean(under); NaN where that is zero."""

    def share(table: Rows) -> float:
        base = float(table[:, under].mean())
        return float(table[:, over].mean()) / base if base > 0 else float("nan")

    return share
