"""What every export target is, and the register of the targets of this package."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import orjson
import pyarrow as pa
from django.utils.translation import gettext as _

from stet.common.errors import Invalid, NotFound
from training.trajectory import Trajectory

Row = dict[str, Any]
Options = Mapping[str, str]

IDS = pa.list_(pa.int32())
MASK = pa.list_(pa.int8())
FLOATS = pa.list_(pa.float32())
MESSAGES = pa.list_(
    pa.struct([("role", pa.string()), ("content", pa.string()), ("extra", pa.string())])
)
LINEAGE = [
    ("sample_id", pa.string()),
    ("external_id", pa.string()),
    ("episode", pa.int64()),
    ("submission", pa.int32()),
    ("policy", pa.string()),
]


class Broken(ValueError):
    """A row breaks a promise of its target; ``reason`` is one word for the manifest."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Excluded:
    """A row that was not made, and why, in one word."""

    sample_id: str
    reason: str


class Target(ABC):
    """Trajectories in, rows out. A module of this package offers one as TARGET.

    ``version`` changes whenever the same trajectory could give another row. ``choices`` are the
    options with their values, the default first.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    choices: ClassVar[Mapping[str, Sequence[str]]] = {}
    needs_candidates: ClassVar[bool] = False

    @abstractmethod
    def schema(self) -> pa.Schema: ...

    @abstractmethod
    def rows(self, group: Sequence[Trajectory], options: Options) -> Iterator[Row | Excluded]:
        """The rows of all submissions of one task, in a fixed order."""

    @abstractmethod
    def validate(self, row: Row) -> None:
        """Raise Broken if the row breaks a promise."""

    def line(self, row: Row) -> bytes:
        """The row as a line of JSON, without its end."""
        return orjson.dumps(row)


@cache
def targets() -> dict[str, Target]:
    """Every target of this package by name."""
    package = __name__.rpartition(".")[0]
    found: dict[str, Target] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        offered = getattr(importlib.import_module(f"{package}.{module.name}"), "TARGET", None)
        if isinstance(offered, Target):
            found[offered.name] = offered
    return dict(sorted(found.items()))


def target_get(name: str) -> Target:
    """The target of that name; raises NotFound with the names there are."""
    if name not in targets():
        names = ", ".join(targets())
        raise NotFound(
            _("There is no target “%(name)s”. There are: %(names)s.")
            % {"name": name[:40], "names": names},
            code="no_such_target",
        )
    return targets()[name]


def options_of(target: Target, given: Mapping[str, Any]) -> dict[str, str]:
    """All options with defaults filled in; raises Invalid with one entry per fault."""
    errors = []
    for name, value in given.items():
        known = target.choices.get(name)
        if known is None:
            errors.append({"field": f"options.{name}", "detail": _("This option is not known.")})
        elif value not in known:
            allowed = _("It is one of: %(values)s.") % {"values": ", ".join(known)}
            errors.append({"field": f"options.{name}", "detail": allowed})
    if errors:
        raise Invalid(
            _("The target does not take these options. Nothing was changed."),
            code="bad_option",
            errors=errors,
        )
    return {name: given.get(name, values[0]) for name, values in target.choices.items()}


def lineage(trajectory: Trajectory) -> Row:
    """The columns that say where a row comes from."""
    policy = trajectory.policy
    return {
        "sample_id": trajectory.sample_id,
        "external_id": trajectory.task.external_id,
        "episode": trajectory.episode.pk,
        "submission": trajectory.submission.n,
        "policy": policy_name(policy) if policy else None,
    }


def policy_name(policy: Any) -> str:
    return f"{policy.name}@{policy.version}"


def unusable(trajectory: Trajectory) -> str | None:
    """Why no target of ids can use a submission, or None."""
    if trajectory.policy is None:
        return "foreign"
    if trajectory.mixed_tokenizers:
        return "tokenizer_differs"
    if not trajectory.turns(trajectory.path):
        return "no_answer"
    return None


def finished(trajectory: Trajectory) -> bool:
    """Whether the accepted path ends in an answer that has its end token."""
    last = trajectory.turns(trajectory.path)[-1]
    return last.finished and last.end == trajectory.path.length


def check(holds: bool, reason: str, detail: str = "") -> None:
    if not holds:
        raise Broken(reason, detail)
