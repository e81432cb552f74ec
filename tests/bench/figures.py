"""Figures: their names, bars and units, and the line in which one is printed."""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

SCRIPTED, REAL = "engine=scripted", "engine=vllm"


@dataclass(frozen=True)
class Bar:
    """What a figure must reach; ``most`` is an upper bound, else a lower one."""

    unit: str
    target: float | None
    most: bool = True


BARS = {
    ("P1", "N=8"): Bar("ratio", 0.98, most=False),
    ("P1", "N=32"): Bar("ratio", 0.97, most=False),
    ("P2", "N=32"): Bar("ms", 5),
    ("P3", SCRIPTED): Bar("ms", 20),
    ("P3", REAL): Bar("ms", 20),
    ("P3.p95", SCRIPTED): Bar("ms", 60),
    ("P3.p95", REAL): Bar("ms", 60),
    ("P3.ratio", REAL): Bar("ratio", 1.15),
    ("P3L", SCRIPTED): Bar("ratio", 0.90, most=False),
    ("P3L", REAL): Bar("ratio", 0.90, most=False),
    ("P4", REAL): Bar("ratio", 0.97, most=False),
    ("P5", "N=32"): Bar("ratio", 3),
    ("P6", "N=300"): Bar("kB", 80),
    ("P9", "clients=1"): Bar("ratio", 8),
    ("P9", "clients=8"): Bar("ratio", None),
    ("P10", "tokens=32768"): Bar("ms", 50),
    ("P10.append", "tokens=32768"): Bar("ms", 17),
    ("P10.append", "line=8192"): Bar("ms", 17),
    ("P10.first", "tokens=32768"): Bar("ratio", 0.6),
}


@dataclass(frozen=True)
class Figure:
    """One measured number; ``n`` is the number of rounds or samples behind it."""

    metric: str
    at: str
    n: int
    value: float

    @property
    def bar(self) -> Bar:
        return BARS[self.metric, self.at]

    @property
    def good(self) -> bool | None:
        """Whether the bar is reached; None where there is none."""
        bar = self.bar
        if bar.target is None:
            return None
        return self.value <= bar.target if bar.most else self.value >= bar.target

    def line(self) -> str:
        """The figure as one line of JSON."""
        bar = self.bar
        return json.dumps(
            {
                "metric": self.metric,
                "at": self.at,
                "n": self.n,
                "value": round(self.value, 4),
                "unit": bar.unit,
                "target": bar.target,
                "pass": self.good,
            }
        )


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of all values lie, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def middle(values: Sequence[float]) -> float:
    return statistics.median(values)


def note(text: str) -> None:
    """A remark beside the figures, with how busy the machine is; never on stdout."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg()[:2])
    sys.stderr.write(f"# [load {load}] {text}\n")
    sys.stderr.flush()
