"""The keystroke-level model: how long a practised person needs for counted acts.

Operators and times of Card, Moran & Newell, "The keystroke-level model for user performance time
with interactive systems", Communications of the ACM 23 (7), 1980: K for a key or a mouse button
(an average skilled typist), P for pointing with a mouse, H for moving the hand between mouse and
keyboard, M for preparing in the mind.
"""

from __future__ import annotations

from dataclasses import dataclass

K, P, H, M = 0.20, 1.10, 0.40, 1.35


@dataclass(frozen=True)
class Path:
    """What one way of doing something was counted to take; ``minds`` are its decisions."""

    name: str
    keys: float
    clicks: float = 0
    hands: float = 0
    minds: float = 0

    @property
    def seconds(self) -> float:
        return (self.keys + self.clicks) * K + self.clicks * P + self.hands * H + self.minds * M

    def line(self) -> str:
        counts = f"{self.keys:.1f} K + {self.clicks:.1f} (P + K) + {self.hands:.1f} H"
        return f"{self.name}: {counts} + {self.minds:.1f} M = {self.seconds:.2f} s"
