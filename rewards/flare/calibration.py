"""Are risks what they say: ROC-AUC, reliability, Brier score, and isotonic calibration."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


def roc_auc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The probability that a positive has the higher score; ties count half. None where one of the
    two kinds is missing. O(n log n), by the ranks (Mann and Whitney)."""
    n = sum(positive)
    if not 0 < n < len(positive):
        return None
    order = sorted(range(len(scores)), key=scores.__getitem__)
    total, start = 0.0, 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        middle = (start + end + 1) / 2
        total += middle * sum(positive[at] for at in order[start:end])
        start = end
    return (total - n * (n + 1) / 2) / (n * (len(positive) - n))


def roc_curve(scores: Sequence[float], positive: Sequence[bool]) -> list[tuple[float, float]]:
    """(false positive rate, true positive rate) for each threshold, from (0, 0) to (1, 1)."""
    n, m = sum(positive), len(positive) - sum(positive)
    points, hits, false = [(0.0, 0.0)], 0, 0
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    for place, at in enumerate(order):
        hits, false = hits + positive[at], false + (not positive[at])
        if place + 1 == len(order) or scores[order[place + 1]] != scores[at]:
            points.append((false / m if m else 0.0, hits / n if n else 0.0))
    return points


def brier(risks: Sequence[float], happened: Sequence[bool]) -> float | None:
    """Mean squared distance of risk and outcome, in [0, 1]; None for no cases."""
    pairs = zip(risks, happened, strict=True)
    return sum((risk - real) ** 2 for risk, real in pairs) / len(risks) if risks else None


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases with a risk in [low, high): how many, their mean risk, how often it happened."""

    low: float
    high: float
    n: int
    risk: float
    happened: float


def reliability(risks: Sequence[float], happened: Sequence[bool], bins: int = BINS) -> list[Bin]:
    """The bins of equal width that hold any case; the last one includes 1."""
    kept: dict[int, list[tuple[float, bool]]] = {}
    for risk, real in zip(risks, happened, strict=True):
        kept.setdefault(min(int(risk * bins), bins - 1), []).append((risk, real))
    return [
        Bin(
            at / bins,
            (at + 1) / bins,
            len(cases),
            sum(risk for risk, _real in cases) / len(cases),
            sum(real for _risk, real in cases) / len(cases),
        )
        for at, cases in sorted(kept.items())
    ]


def calibration_error(risks: Sequence[float], happened: Sequence[bool]) -> float | None:
    """Expected calibration error over the bins; None for no cases."""
    if not risks:
        return None
    found = reliability(risks, happened)
    return sum(one.n * abs(one.risk - one.happened) for one in found) / len(risks)


@dataclass(frozen=True, slots=True)
class Isotonic:
    """A non-decreasing step function from score to probability."""

    scores: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, score: float) -> float:
        """The probability at ``score``; below the first step, that of the first."""
        return self.values[max(bisect_right(self.scores, score) - 1, 0)]


def isotonic(scores: Sequence[float], happened: Sequence[bool]) -> Isotonic:
    """The non-decreasing fit with the least squares, by pooling adjacent violators. Raises
    ValueError for no cases."""
    if not scores:
        raise ValueError("nothing to calibrate on")
    blocks: list[list[float]] = []
    for score, real in sorted(zip(scores, happened, strict=True)):
        if blocks and blocks[-1][0] == score:
            blocks[-1][1] += real
            blocks[-1][2] += 1
        else:
            blocks.append([score, float(real), 1.0])
    pooled: list[list[float]] = []
    for block in blocks:
        pooled.append(block)
        while len(pooled) > 1 and pooled[-2][1] * pooled[-1][2] >= pooled[-1][1] * pooled[-2][2]:
            _score, total, count = pooled.pop()
            pooled[-1][1] += total
            pooled[-1][2] += count
    return Isotonic(
        tuple(score for score, _total, _count in pooled),
        tuple(total / count for _score, total, count in pooled),
    )
