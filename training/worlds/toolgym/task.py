"""A task of the tool world: plain data, made by `parts`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from training.worlds.base import Use
from training.worlds.toolgym.state import State
from training.worlds.toolgym.tools import schema


def key(call: Use) -> str:
    """A call as one string: equal calls have equal keys."""
    return json.dumps([call.name, dict(call.arguments)], sort_keys=True)


@dataclass(frozen=True)
class Task:
    """``kind`` is prone (it invites the anomaly ``family``), lookalike (its instruction asks for
    just such an act) or plain. ``plan`` is an expert's calls; ``lures`` are anomalous calls, each
    tempting before plan call ``at``. ``ends`` is done or cannot."""

    id: str
    group: str
    family: str
    kind: str
    cells: tuple[str, ...]
    instruction: str
    plan: tuple[Use, ...]
    setup: State
    ends: str = "done"
    lures: tuple[tuple[int, Use], ...] = ()
    offered: tuple[str, ...] = ()

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        return [schema(name) for name in self.offered]
