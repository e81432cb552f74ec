"""Agreement: values worked out elsewhere, by hand, and by going through all pairs."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement import (
    Located,
    alpha,
    interval,
    locate_agreement,
    nominal,
    ordinal,
    pairs_of,
    replacement_agreement,
    step_agreement,
)

# Four people, twelve items, some values missing: Krippendorff's own worked example.
KRIPPENDORFF = [
    [1, 1, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [5, 5, 5],
    [1, 1],
    [3],
]


@pytest.mark.parametrize(
    ("distance", "value"), [(nominal, 0.743), (ordinal, 0.815), (interval, 0.849)]
)
def test_the_worked_example(distance: Any, value: float) -> None:
    found = alpha(KRIPPENDORFF, distance, rounds=50)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.n == 11
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=4), min_size=1, max_size=5),
)
def test_it_is_the_disagreement_of_all_pairs(items: list[list[int]]) -> None:
    """Observed over expected, by listing the pairs; nominal and interval."""
    everything = [value for values in items for value in values]
    for distance, apart in ((nominal, lambda a, b: a != b), (interval, lambda a, b: (a - b) ** 2)):
        n = len(everything)
        expected = sum(apart(a, b) for a, b in permutations(everything, 2)) / (n * (n - 1))
        observed = sum(
            sum(apart(a, b) for a, b in permutations(values, 2)) / (len(values) - 1)
            for values in items
        )
        found = alpha(items, distance, rounds=0)
        if expected == 0:
            assert found.value is None
            assert found.why
        else:
            assert found.value == pytest.approx(1 - observed / n / expected)


def test_opposites_are_no_better_than_chance() -> None:
    opposite = [["good", "bad"], ["bad", "good"]] * 5
    assert (alpha(opposite).value or 0) < 0
    ranks = [[1, 5], [5, 1], [2, 4], [4, 2]]
    assert (alpha(ranks, ordinal).value or 0) < 0
    assert alpha([["a", "a"], ["b", "b"]]).value == 1


@pytest.mark.parametrize("items", [[], [[1]], [[1], [2]], [[1, 1], [1, 1]]])
def test_what_is_undefined_says_why(items: list[list[int]]) -> None:
    found = alpha(items)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.why


def test_places_and_replacements() -> None:
    a = Located(10, 0, (5,), "x")
    b = Located(12, 0, (6,), "y")
    c = Located(10, 0, (7, 8), "x")
    none = Located(None)
    pairs = pairs_of([[a, b, c], [none, none], [a, none]])
    assert len(pairs) == 5
    assert locate_agreement(pairs).value == pytest.approx(2 / 5)
    assert locate_agreement(pairs, within=2).value == pytest.approx(4 / 5)
    assert step_agreement(pairs).value == pytest.approx(4 / 5)
    assert replacement_agreement(pairs).value == 0
    assert replacement_agreement(pairs, by_text=True).value == 1
    assert replacement_agreement(pairs_of([[a, b]])).why
    assert locate_agreement([]).why
    # A place whose step is not known is no place in no step.
    assert step_agreement([(Located(5), none)]).why
    assert step_agreement([(none, none), (a, Located(5))]).n == 1
