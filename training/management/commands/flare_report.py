"""``manage.py flare_report FILE``: what the risk of steps says of the outcome of real runs."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from stet.traces.steps import run_of
from training.flare_report import FOLDS, Case, case_of, report

BESIDE = "@file:"


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
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
    for number, text in enumerate(lines, start=1):
        try:
            row = json.loads(text)
            task, failed = str(row["task_id"]), float(row["reward"]) < 1
            messages = [_whole(message, file.parent) for message in row["messages"]]
            tools = row.get("tools")
            run = run_of(messages, tools if isinstance(tools, list) else None)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise CommandError(f"Line {number} of {file} is no run: {error!r}") from error
        case = case_of(task, failed, run)
        silent += case is None
        cases += [case] if case else []
    return cases, silent


def _whole(message: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A message with the text of the file beside that its content names."""
    content = message.get("content")
    if not (isinstance(content, str) and content.startswith(BESIDE)):
        return message
    beside = folder / Path(content.removeprefix(BESIDE)).name
    return {**message, "content": beside.read_text("utf-8")} if beside.is_file() else message
