"""The harness keeps results, resumes, and says passed only where everything allows it."""

from pathlib import Path
from typing import Any

import pytest

from training.reproductions.harness import Figure, Reproduction, report, reproduction, results


def counting(value: float, low: float) -> tuple[Reproduction, list[int]]:
    ran: list[int] = []

    def run(seed: int, profile: str, folder: Path) -> dict[str, Any]:
        ran.append(seed)
        return {"value": value}

    figures = [Figure("gain", value, low, 1.0, bar=0.5), Figure("tokens", 7.0, 7.0, 7.0)]
    return Reproduction("thing", "0000.00000", 3, run, lambda _: figures), ran


def test_a_kept_seed_is_not_run_again(tmp_path: Path) -> None:
    it, ran = counting(0.7, 0.6)
    first = results(it, "full", 2, tmp_path, resume=True)
    again = results(it, "full", 3, tmp_path, resume=True)
    assert ran == [0, 1, 2]
    assert again[:2] == first
    results(it, "full", 1, tmp_path, resume=False)
    assert ran == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("low", "profile", "seeds", "passes"),
    [
        (0.6, "full", 3, True),
        (0.4, "full", 3, False),
        (0.6, "full", 2, False),
        (0.6, "smoke", 3, False),
        (float("nan"), "full", 3, False),
    ],
)
def test_passed_needs_the_bound_the_profile_and_the_seeds(
    tmp_path: Path, low: float, profile: Any, seeds: int, passes: bool
) -> None:
    it, _ran = counting(0.7, low)
    made = report(it, profile, results(it, profile, seeds, tmp_path, resume=False))
    assert ("passed" in made) is passes


def test_the_bound_on_the_right_side_counts() -> None:
    assert Figure("loss", 0.05, 0.0, 0.07, bar=0.08, at_least=False).clears is True
    assert Figure("loss", 0.05, 0.0, 0.09, bar=0.08, at_least=False).clears is False
    assert Figure("note", 0.05, 0.0, 0.09).clears is None


def test_a_name_that_no_module_has_is_refused() -> None:
    with pytest.raises(KeyError):
        reproduction("harness")
