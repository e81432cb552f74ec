"""Runs a reproduction seed by seed, keeps each result, and says what was reached."""

from __future__ import annotations

import importlib
import json
import math
import os
import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from training.statistics import Interval

Profile = Literal["smoke", "full"]
Result = Mapping[str, Any]
HELPERS = ("guarded", "guarding", "harness")


@dataclass(frozen=True)
class Figure:
    """One figure of a report. ``bar`` is fixed before the run; a figure without one is a report.
    ``at_least`` says on which side of the bar it must lie, ``paper`` what the paper has."""

    name: str
    value: float
    low: float
    high: float
    bar: float | None = None
    at_least: bool = True
    paper: float | None = None

    @classmethod
    def of(cls, name: str, interval: Interval, **more: Any) -> Figure:
        return cls(name, interval.value, interval.low, interval.high, **more)

    @property
    def clears(self) -> bool | None:
        """Whether the whole interval lies on the right side; None without a bar."""
        if self.bar is None:
            return None
        bound = self.low if self.at_least else self.high
        return math.isfinite(bound) and (bound >= self.bar if self.at_least else bound <= self.bar)


@dataclass(frozen=True)
class Reproduction:
    """What a module of this package offers as ``REPRODUCTION``.

    ``run(seed, profile, folder)`` gives JSON with everything that ``figures`` needs; ``folder`` may
    keep trained models. ``seeds`` is the least number of a full run.
    """

    name: str
    paper: str
    seeds: int
    run: Callable[[int, Profile, Path], dict[str, Any]]
    figures: Callable[[Sequence[Result]], list[Figure]]


def reproduction(name: str) -> Reproduction:
    """Raises KeyError for a name that no module has."""
    if name not in names():
        raise KeyError(name)
    found = importlib.import_module(f"training.reproductions.{name}").REPRODUCTION
    assert isinstance(found, Reproduction)
    return found


def names() -> list[str]:
    package = importlib.import_module("training.reproductions")
    modules = [each.name for each in pkgutil.iter_modules(package.__path__)]
    return [each for each in modules if each not in HELPERS and not each.startswith("_")]


def results(
    it: Reproduction, profile: Profile, seeds: int, folder: Path, resume: bool
) -> list[dict[str, Any]]:
    """The result of each seed; with ``resume`` those that are kept are not run again."""
    kept = folder / it.name / profile
    kept.mkdir(parents=True, exist_ok=True)
    found = []
    for seed in range(seeds):
        path = kept / f"seed-{seed}.json"
        if resume and path.exists():
            found.append(json.loads(path.read_text()))
            continue
        began = time.monotonic()
        made = it.run(seed, profile, folder.parent / "worlds")
        made |= {"seed": seed, "seconds": round(time.monotonic() - began, 1)}
        write(path, made)
        found.append(made)
    return found


def report(it: Reproduction, profile: Profile, found: Sequence[Result]) -> dict[str, Any]:
    """The figures, and ``passed`` only after a full run that clears every bar by its interval's
    bound: a smoke run has no such key."""
    figures = it.figures(found)
    lines = [{**asdict(each), "clears": each.clears} for each in figures]
    made: dict[str, Any] = {
        "name": it.name,
        "paper": it.paper,
        "profile": profile,
        "seeds": len(found),
        "seconds": sum(float(each["seconds"]) for each in found),
        "figures": lines,
    }
    barred = [each.clears for each in figures if each.clears is not None]
    if profile == "full" and len(found) >= it.seeds and barred and all(barred):
        made["passed"] = True
    return made


def write(path: Path, value: Mapping[str, Any]) -> None:
    """The file is there whole or as it was before."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, indent=1, sort_keys=True))
    os.replace(part, path)
