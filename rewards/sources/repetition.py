"""How much of the answer says again what it said before, and whether it ends in a loop."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from rewards.registry import source
from rewards.sources.properties.text import words
from rewards.verdict import Trace, Verdict, scalar

N = 4
LEAST_UNITS = 4 * N
LEAST_TIMES = 3
LEAST_LOOP = 12


def repeated_share(units: Sequence[Hashable], n: int = N) -> float:
    """Share of n-grams that occurred before: ``a b a b a b`` with n=2 has 5, 2 distinct: 0.6."""
    grams = [tuple(units[i : i + n]) for i in range(len(units) - n + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def final_loop(units: Sequence[Hashable]) -> tuple[int, int] | None:
    """(start, period) of the longest tail of 12 units or more that is one run three times or more.

    The prefix function of the reversed sequence gives the period of every tail in linear time.
    """
    turned = units[::-1]
    border = [0] * len(turned)
    best: tuple[int, int] | None = None
    for i in range(1, len(turned)):
        k = border[i - 1]
        while k and turned[i] != turned[k]:
            k = border[k - 1]
        border[i] = k + 1 if turned[i] == turned[k] else k
        period = i + 1 - border[i]
        if i + 1 >= max(LEAST_LOOP, LEAST_TIMES * period):
            best = (len(units) - i - 1, period)
    return best


@source("repetition", version="1")
def repetition(trace: Trace) -> Iterator[Verdict]:
    """Scalar in [0, 1], 0 = nothing twice, over token ids if known, else words; short is silent."""
    units: Sequence[Hashable] = trace.ids if trace.ids is not None else words(trace.text)
    if len(units) < LEAST_UNITS:
        return
    loop = final_loop(units)
    evidence: dict[str, object] = {"of": "tokens" if trace.ids is not None else "words", "n": N}
    if loop:
        start, period = loop
        times = (len(units) - start) // period
        evidence["loop"] = {"start": start, "period": period, "times": times}
    yield scalar(repeated_share(units), **evidence)
