"""Measures of risk against enumeration and closed forms."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.flare.calibration import (
    brier,
    calibration_error,
    isotonic,
    reliability,
    roc_auc,
    roc_curve,
)

cases = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.booleans()), min_size=1)


@given(cases)
def test_auc_counts_the_pairs_and_is_the_area_under_the_curve(
    found: list[tuple[float, bool]],
) -> None:
    scores, real = [one for one, _ in found], [one for _, one in found]
    bad = [score for score, one in found if one]
    good = [score for score, one in found if not one]
    value = roc_auc(scores, real)
    if not bad or not good:
        assert value is None
        return
    won = sum((b > g) + (b == g) / 2 for b, g in product(bad, good))
    assert value == pytest.approx(won / len(bad) / len(good))
    points = roc_curve(scores, real)
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(points))
    assert value == pytest.approx(area)
    assert points[0] == (0, 0)
    assert points[-1] == (1, 1)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=6))
def test_isotonic_is_the_best_fit_that_never_falls(found: list[tuple[int, bool]]) -> None:
    """No non-decreasing choice of values on a fine grid has fewer squares."""
    scores, real = [float(one) for one, _ in found], [one for _, one in found]
    fit = isotonic(scores, real)
    values = [fit(score) for score in (0, 1, 2, 3)]
    assert values == sorted(values)

    def squares(by: dict[float, float]) -> float:
        return sum((by[score] - one) ** 2 for score, one in zip(scores, real, strict=True))

    own = squares({score: fit(score) for score in scores})
    grid = [k / 6 for k in range(7)]
    kinds = sorted(set(scores))
    best = min(
        squares(dict(zip(kinds, chosen, strict=True)))
        for chosen in product(grid, repeat=len(kinds))
        if list(chosen) == sorted(chosen)
    )
    assert own <= best + 1e-9


def test_reliability_of_a_perfect_and_of_a_bold_forecast() -> None:
    risks, real = [0.25] * 4, [True, False, False, False]
    assert calibration_error(risks, real) == pytest.approx(0)
    assert brier(risks, real) == pytest.approx((0.75**2 + 3 * 0.25**2) / 4)
    assert calibration_error([1.0, 1.0], [True, False]) == pytest.approx(0.5)
    bold = reliability([1.0, 0.05], [True, False])
    assert [(one.low, one.n, one.happened) for one in bold] == [(0.0, 1, 0.0), (0.9, 1, 1.0)]
    assert brier([], []) is None
    assert calibration_error([], []) is None
    with pytest.raises(ValueError, match="nothing"):
        isotonic([], [])
