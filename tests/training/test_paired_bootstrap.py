"""The paired bootstrap against closed forms and full enumeration."""

import math

import numpy as np
import pytest

from training.statistics import difference, mean_of, paired_bootstrap, ratio, relative_fall


def test_two_tasks_are_enumerated() -> None:
    # Four equally likely samples: means 0, 1/2, 1/2, 1.
    found = paired_bootstrap([[0.0], [1.0]], mean_of(0), level=0.4)
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)
    found = paired_bootstrap([[0.0], [1.0]], mean_of(0), level=0.6)
    assert (found.low, found.high) == (0.0, 1.0)


def test_drawing_agrees_with_the_binomial() -> None:
    # The mean of a resampled 0/1 column is Binomial(n, p) / n exactly.
    n, hits = 40, 10
    rows = [[1.0]] * hits + [[0.0]] * (n - hits)
    found = paired_bootstrap(rows, mean_of(0), draws=20_000)
    p = hits / n
    below = np.cumsum([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
    low, high = int(np.searchsorted(below, 0.025)), int(np.searchsorted(below, 0.975))
    assert abs(found.low * n - low) <= 1
    assert abs(found.high * n - high) <= 1


def test_pairs_stay_together() -> None:
    rows = [[x, x + 0.25] for x in np.random.default_rng(1).normal(size=50)]
    found = paired_bootstrap(rows, difference(0, 1), draws=500)
    assert found.low == pytest.approx(0.25)
    assert found.high == pytest.approx(0.25)


def test_ratios_are_of_means_and_undefined_where_nothing_stands_below() -> None:
    rows = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    assert paired_bootstrap(rows, relative_fall(0, 1)).value == pytest.approx(2 / 3)
    assert paired_bootstrap(rows, ratio(1, 0)).value == pytest.approx(1 / 3)
    assert math.isnan(paired_bootstrap([[0.0, 1.0]], ratio(1, 0)).low)


def test_odd_input_is_refused() -> None:
    with pytest.raises(ValueError, match="rows"):
        paired_bootstrap([], mean_of(0))
    with pytest.raises(ValueError, match="level"):
        paired_bootstrap([[1.0]], mean_of(0), level=1.0)
