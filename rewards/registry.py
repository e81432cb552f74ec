"""Finds the sources of `rewards.sources`, and of installed packages, and asks them all."""

from __future__ import annotations

import functools
import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import Any

from rewards.verdict import Trace, Verdict

ENTRY_POINTS = "stet.sources"
log = logging.getLogger(__name__)

Judge = Callable[[Trace], Iterator[Verdict]]


@dataclass(frozen=True)
class Source:
    """A judging function with the name and version that its verdicts carry.

    ``of`` says what it needs: an ``answer`` alone, or the steps of a whole ``run``.
    """

    name: str
    version: str
    run: Judge
    of: str = "answer"

    @property
    def about(self) -> str:
        """The first line that it says of itself."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]

    def verdicts(self, trace: Trace) -> Iterator[Verdict]:
        for verdict in self.run(trace):
            yield replace(verdict, source=self.name, version=self.version)


_sources: dict[str, Source] = {}


def source(name: str, *, version: str, of: str = "answer") -> Callable[[Judge], Judge]:
    """Register a generator of verdicts; change ``version`` whenever a value could change."""

    def register(run: Judge) -> Judge:
        if name in _sources:
            raise ValueError(f"two sources are called {name!r}")
        _sources[name] = Source(name, version, run, of)
        return run

    return register


@functools.cache
def sources() -> Mapping[str, Source]:
    """Every source by name. An outside package that cannot be imported is logged and left out."""
    package = importlib.import_module("rewards.sources")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"rewards.sources.{module.name}")
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            entry.load()
        except Exception:
            log.exception("source %s cannot be loaded", entry.name)
    return dict(sorted(_sources.items()))


def answer_sources() -> Mapping[str, Source]:
    """The sources that judge an answer by itself, by name."""
    return {name: each for name, each in sources().items() if each.of == "answer"}


def judge(task: Mapping[str, Any], text: str, ids: list[int] | None = None) -> list[Verdict]:
    """What every source of answers says of the answer ``text`` (no special tokens) to ``task``.

    A source that fails is logged and says nothing, so that it cannot silence the others.
    """
    trace = Trace(task, text, ids)
    found: list[Verdict] = []
    for each in answer_sources().values():
        try:
            found.extend(list(each.verdicts(trace)))
        except Exception:
            log.exception("source %s failed", each.name)
    return found
