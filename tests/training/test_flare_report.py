"""The report on real runs: no hindsight in its inputs, no task on both sides of a fold."""

from __future__ import annotations

from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from stet.traces.steps import Call, Run, Step
from training.flare_report import FOLDS, Case, case_of, fitted, folds_of, report
from training.management.commands.flare_report import cases_of


def run_of_calls(n: int) -> Run:
    calls = [Call(at, "find", {"n": at // 2}, f'{{"n": {at // 2}}}', f"no {at}") for at in range(n)]
    return Run("Find it.", tuple(Step(at, at, "", (call,)) for at, call in enumerate(calls)))


def test_the_features_of_a_step_know_nothing_of_what_came_later() -> None:
    run = run_of_calls(6)
    whole = case_of("a", True, run)
    assert whole is not None
    for ordinal in range(6):
        prefix = case_of("a", False, run.upto(ordinal))
        assert prefix is not None
        assert np.array_equal(whole.features[ordinal], prefix.features[ordinal])
    assert any(not np.array_equal(a, b) for a, b in pairwise(whole.features))


def test_a_run_without_calls_is_not_judged() -> None:
    assert case_of("a", True, Run("Hi.", (Step(0, 1, "Hello."),))) is None


def test_every_task_is_in_one_fold_and_every_fold_has_tasks() -> None:
    folds = folds_of([str(n % 12) for n in range(40)])
    assert len(folds) == 12
    assert set(folds.values()) == set(range(FOLDS))


def cases(informative: bool) -> list[Case]:
    """Twenty tasks of two runs; the feature says the outcome, or nothing."""
    found = []
    for n in range(40):
        failed = n % 2 == 0
        value = float(failed) if informative else 0.0
        found.append(Case(str(n // 2), failed, (value,), np.array([[value, 1.0]])))
    return found


def test_a_feature_that_tells_is_found_and_one_that_does_not_is_chance() -> None:
    told = {line.name: line for line in report(cases(True))}
    assert told["fitted on four folds"].auc.value == 1
    assert told["flare-heuristic"].brier == 0
    blind = report(cases(False))
    assert [line.auc.value for line in blind] == [0.5] * 3
    assert [line.brier for line in blind] == pytest.approx([0.25] * 3)


def test_the_fit_is_the_minimum_of_the_penalised_loss() -> None:
    """One feature, +1 for 3 of 4 failures and -1 for 1 of 4: symmetric, so the slope solves
    8 (p - 3/4) + w = 0 with p = 1 / (1 + exp(-w))."""
    rows = [(1.0, True)] * 3 + [(1.0, False)] + [(-1.0, True)] + [(-1.0, False)] * 3
    risk = fitted([Case(str(n), y, (0.0,), np.array([[x]])) for n, (x, y) in enumerate(rows)])
    p = float(risk(np.array([[1.0]]))[0])
    assert 8 * (p - 0.75) + np.log(p / (1 - p)) == pytest.approx(0, abs=1e-9)
    assert float(risk(np.array([[-1.0]]))[0]) == pytest.approx(1 - p)


def test_real_runs_are_reported(shared_data: Path) -> None:
    file = shared_data / "agent-traces-airline.jsonl"
    found, silent = cases_of(file)
    assert len(found) + silent == len(file.read_text(encoding="utf-8").splitlines())
    said = StringIO()
    call_command("flare_report", str(file), stdout=said)
    lines = said.getvalue().splitlines()
    assert lines[0].startswith(f"{len(found)} runs of 25 tasks")
    assert [line.partition(":")[0] for line in lines[1:]] == [
        "flare-heuristic",
        "fitted on four folds",
        "number of steps (control)",
    ]


@pytest.mark.parametrize("text", ["{", "[]", '{"task_id": 1}', '{"task_id": 1, "reward": "x"}', ""])
def test_what_is_no_run_is_named_by_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(text + "\n" if text else "")
    with pytest.raises(CommandError, match=r"Line 1 of|It takes 5 tasks"):
        call_command("flare_report", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("flare_report", str(tmp_path / "missing"))
