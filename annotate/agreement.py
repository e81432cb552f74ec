"""How far people agree: Krippendorff's alpha, and agreement about places and replacements.

Alpha is ``1 - D_o / D_e``, observed over expected disagreement of all pairs of values that
different people gave the same item (Krippendorff, Content Analysis, chapter 11); 1 is full
agreement, 0 what chance would give, below 0 is systematic disagreement.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

Items = Sequence[Sequence[Any]]
"""For each item the values that people gave it; who gave none is left out."""
Distance = Callable[[Any, Any, Mapping[Any, int]], float]
ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Agreement:
    """A figure with its 95 % interval over items, or the reason why there is none.

    ``n`` counts the items that enter: those with two values or more.
    """

    value: float | None
    n: int
    why: str = ""
    low: float | None = None
    high: float | None = None


def nominal(a: Hashable, b: Hashable, totals: Mapping[Any, int]) -> float:
    """0 for the same value, 1 for any other."""
    return float(a != b)


def ordinal(a: Any, b: Any, totals: Mapping[Any, int]) -> float:
    """The squared number of given values between two ranks, each end counted half."""
    low, high = min(a, b), max(a, b)
    between = sum(count for value, count in totals.items() if low <= value <= high)
    return (between - (totals[low] + totals[high]) / 2) ** 2


def interval(a: float, b: float, totals: Mapping[Any, int]) -> float:
    """The squared difference."""
    return (a - b) ** 2


def alpha(items: Items, distance: Distance = nominal, rounds: int = ROUNDS) -> Agreement:
    """Krippendorff's alpha; undefined without two people or without two different values.

    The interval is that of a bootstrap over items (percentiles, a fixed seed).
    """
    pairable = [list(values) for values in items if len(values) > 1]
    if not pairable:
        return Agreement(None, 0, _("no item was judged by two people"))
    value = _alpha(pairable, distance)
    if value is None:
        return Agreement(None, len(pairable), _("everybody gave the same value"))
    draw = random.Random(0)  # noqa: S311
    found = []
    for _round in range(rounds if len(pairable) > 1 else 0):
        sample = _alpha(draw.choices(pairable, k=len(pairable)), distance)
        if sample is not None:
            found.append(sample)
    low, high = _percentiles(found)
    return Agreement(value, len(pairable), "", low, high)


def _alpha(items: Items, distance: Distance) -> float | None:
    totals = Counter(value for values in items for value in values)
    n = sum(totals.values())
    kinds = list(totals)
    apart = {(a, b): distance(a, b, totals) for a in kinds for b in kinds}
    expected = sum(totals[a] * totals[b] * apart[a, b] for a in kinds for b in kinds) / (n - 1)
    if not expected:
        return None
    observed = 0.0
    for values in items:
        counts = Counter(values)
        pairs = sum(counts[a] * counts[b] * apart[a, b] for a in counts for b in counts)
        observed += pairs / (len(values) - 1)
    return 1 - observed / expected


def _percentiles(found: list[float]) -> tuple[float | None, float | None]:
    if not found:
        return None, None
    ranked = sorted(found)
    return ranked[int(0.025 * len(ranked))], ranked[min(int(0.975 * len(ranked)), len(ranked) - 1)]


@dataclass(frozen=True, slots=True)
class Located:
    """The first correction that somebody made to a shared first answer.

    ``position`` is absolute in the path, None where nothing was found to correct; ``step`` is the
    step it lies in; ``accepted`` the ids that took the place, and ``text`` what they say.
    """

    position: int | None
    step: int | None = None
    accepted: tuple[int, ...] = ()
    text: str = ""


def pairs_of(groups: Iterable[Sequence[Located]]) -> list[tuple[Located, Located]]:
    """All pairs of two people's first corrections of the same answer."""
    return [
        (one, other)
        for group in groups
        for at, one in enumerate(group)
        for other in group[at + 1 :]
    ]


def locate_agreement(pairs: Sequence[tuple[Located, Located]], within: int = 0) -> Agreement:
    """Share of pairs who point at the same token, or at most ``within`` tokens apart; two who both
    found nothing agree."""

    def same(one: Located, other: Located) -> bool:
        if one.position is None or other.position is None:
            return one.position is other.position
        return abs(one.position - other.position) <= within

    return _share([same(*pair) for pair in pairs])


def step_agreement(pairs: Sequence[tuple[Located, Located]]) -> Agreement:
    """Share of pairs who point into the same step; two who both found nothing agree. Of a place
    whose step is not known nothing is said: such pairs are left out."""

    def known(one: Located) -> bool:
        return one.position is None or one.step is not None

    def same(one: Located, other: Located) -> bool:
        return (one.position is None, one.step) == (other.position is None, other.step)

    return _share([same(*pair) for pair in pairs if known(pair[0]) and known(pair[1])])


def replacement_agreement(
    pairs: Sequence[tuple[Located, Located]], *, by_text: bool = False
) -> Agreement:
    """Of the pairs who point at the same token, the share who put the same ids (or text) there."""
    same = [pair for pair in pairs if pair[0].position == pair[1].position is not None]
    if not same:
        return Agreement(None, 0, _("no two people corrected the same token"))
    if by_text:
        return _share([one.text == other.text for one, other in same])
    return _share([one.accepted == other.accepted for one, other in same])


def _share(hits: Sequence[bool]) -> Agreement:
    """A share with Wilson's 95 % interval."""
    n = len(hits)
    if not n:
        return Agreement(None, 0, _("no answer was judged by two people"))
    z, p = 1.959964, sum(hits) / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return Agreement(p, n, "", max(0.0, middle - half), min(1.0, middle + half))
