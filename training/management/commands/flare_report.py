"""``manage.py flare_report FILE``: what the risk of steps says of the outcome of real runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from stet.traces.formats.base import Conversation, LineError
from stet.traces.formats.openai_messages import FORMAT
from stet.traces.steps import run_of
from training.flare_report import FOLDS, Case, case_of, report


class Command(BaseCommand):
    help = "ROC-AUC of a run's highest step risk against its outcome, by folds of tasks"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="rows of messages, task_id and reward, JSONL")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        cases, silent = cases_of(file)
        tasks, failed = len({case.task for case in cases}), sum(case.failed for case in cases)
        if tasks < FOLDS or not 0 < failed < len(cases):
            raise CommandError(f"It takes {FOLDS} tasks, and runs that failed and that did not.")
        self.stdout.write(
            f"{len(cases)} runs of {tasks} tasks, {failed} failed, {silent} not judged"
        )
        for line in report(cases):
            auc = line.auc
            self.stdout.write(
                f"{line.name}: ROC-AUC {auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}], "
                f"Brier {line.brier:.3f}, calibration error {line.error:.3f}"
            )


def cases_of(file: Path) -> tuple[list[Case], int]:
    """The runs of a file, and how many the heuristic could not judge. Raises CommandError."""
    cases: list[Case] = []
    silent = 0
    try:
        with file.open("rb") as stream:
            for number, item in enumerate(FORMAT.read(stream, files=file.parent), start=1):
                if isinstance(item, LineError):
                    raise CommandError(f"Line {item.number} of {file} is no run: {item.reason}")
                case = _case(item, f"Line {number} of {file}")
                silent += case is None
                cases += [case] if case else []
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
    return cases, silent


def _case(item: Conversation, where: str) -> Case | None:
    try:
        task, failed = str(item.metadata["task_id"]), float(item.metadata["reward"]) < 1
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{where} has no task_id and reward: {error!r}") from error
    return case_of(task, failed, run_of(item.messages, item.tools))
