"""How tokens are drawn: the parameters, their limits, and whether their numbers are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.utils.translation import gettext as _

from stet.common.errors import Invalid

# The server lifts a temperature below this one silently, so it would not be the one recorded.
LEAST_TEMPERATURE = 0.01

# Lowest and highest value of each number, both allowed unless ``_reason`` says otherwise.
LIMITS: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 5.0),
    "top_p": (0.0, 1.0),
    "top_k": (0, 1000),
    "min_p": (0.0, 1.0),
    "max_tokens": (1, 32768),
    "seed": (0, 2**63 - 1),
    "repetition_penalty": (0.0, 10.0),
    "frequency_penalty": (-2.0, 2.0),
    "presence_penalty": (-2.0, 2.0),
}
_INTEGERS = {"top_k", "max_tokens", "seed"}
_ABOVE_ZERO = {"top_p", "repetition_penalty"}


@dataclass(frozen=True)
class Sampling:
    """Parameters of one generation; ``top_k=0`` is off, ``seed=None`` is drawn by the server."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Sampling:
        """The checked parameters; missing ones keep their defaults.

        Raises Invalid ``bad_sampling`` (422) with one entry in ``errors`` per fault.
        """
        if not isinstance(data, Mapping):
            raise _bad([("", _("This must be an object."))])
        known = {field.name for field in fields(cls)}
        faults: list[tuple[str, str]] = []
        values: dict[str, Any] = {}
        for name, value in data.items():
            if name not in known:
                faults.append((str(name), _("This field is not known here.")))
            elif reason := _reason(name, value):
                faults.append((name, reason))
            else:
                whole = name in _INTEGERS or value is None
                values[name] = value if whole else float(value)
        if faults:
            raise _bad(faults)
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Every parameter by name, as it is stored and sent."""
        return asdict(self)

    @property
    def exact_ratio(self) -> bool:
        """Whether a token's log-probability is that of the policy at this temperature, uncut."""
        neutral = (self.repetition_penalty, self.frequency_penalty, self.presence_penalty)
        uncut = self.top_p == 1.0 and self.top_k == 0 and self.min_p == 0.0
        return uncut and neutral == (1.0, 0.0, 0.0) and self.temperature > 0.0


def _reason(name: str, value: Any) -> str:
    """Why ``value`` cannot be ``name``; empty when it can."""
    if value is None and name == "seed":
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _("This must be a number.")
    if name in _INTEGERS and not isinstance(value, int):
        return _("This must be a whole number.")
    if isinstance(value, float) and not math.isfinite(value):
        return _("This must be a finite number.")
    low, high = LIMITS[name]
    if value > high or value < low or (value == 0 and name in _ABOVE_ZERO):
        limits = {"low": low, "high": high}
        if name in _ABOVE_ZERO:
            return _("This must be above %(low)s and at most %(high)s.") % limits
        return _("This must be between %(low)s and %(high)s.") % limits
    if name == "temperature" and 0 < value < LEAST_TEMPERATURE:
        return _("This must be 0 or at least %(least)s.") % {"least": LEAST_TEMPERATURE}
    return ""


def _bad(faults: list[tuple[str, str]]) -> Invalid:
    names = ", ".join(name or "sampling" for name, _reason_ in faults)
    return Invalid(
        _("Nothing was changed. Please look at: %(names)s.") % {"names": names},
        code="bad_sampling",
        errors=[{"field": name, "detail": reason} for name, reason in faults],
    )
