"""Figures print as one line each, and the page keeps the last of every figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import page
from tests.bench.figures import Figure, quantile


def test_a_figure_is_one_line_with_its_bar() -> None:
    line = Figure("P1", "N=32", 5, 0.99).line()
    assert json.loads(line) == {
        "metric": "P1",
        "at": "N=32",
        "n": 5,
        "value": 0.99,
        "unit": "ratio",
        "target": 0.97,
        "pass": True,
    }


@pytest.mark.parametrize(
    ("metric", "at", "value", "good"),
    [
        ("P1", "N=8", 0.97, False),
        ("P5", "N=32", 3.0, True),
        ("P5", "N=32", 3.1, False),
        ("P9", "clients=8", 900.0, None),
    ],
)
def test_a_bar_is_a_floor_or_a_ceiling_or_absent(
    metric: str, at: str, value: float, good: bool | None
) -> None:
    assert Figure(metric, at, 1, value).good is good


def test_a_quantile_is_a_value_that_was_measured() -> None:
    assert quantile([3.0, 1.0, 2.0, 4.0], 0.5) == 3.0
    assert quantile([5.0], 0.99) == 5.0


def test_the_page_keeps_what_was_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "measurements.md"
    path.write_text(f"Before.\n\n{page.BEGIN}\n\n{page.END}\n\nAfter.\n")
    monkeypatch.setattr(page, "PAGE", path)
    page.refresh([Figure("P5", "N=32", 5, 2.5), Figure("P1", "N=8", 5, 0.99)], 1.0)
    page.refresh([Figure("P5", "N=32", 5, 3.5)], 2.0)
    text = path.read_text()
    rows = [line for line in text.splitlines() if line.startswith("| P")]
    assert text.startswith("Before.")
    assert text.endswith("After.\n")
    assert [row.split(" | ")[0] for row in rows] == ["| P1", "| P5"]
    assert "| 3.5 |" in rows[1]
    assert "**no**" in rows[1]
    assert "2.5" not in rows[1]
