"""The page of the docs that keeps the last result of every figure, with its date and commit."""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Iterable

from stet.stack.paths import ROOT
from tests.bench.figures import BARS, Figure

PAGE = ROOT / "docs" / "measurements.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
HEAD = [
    "| figure | at | value | unit | bar | reached | n | date | commit | load |",
    "|---|---|---|---|---|---|---|---|---|---|",
]


def refresh(figures: Iterable[Figure], load: float) -> None:
    """Put the figures into the page's table; rows that were not measured keep what they say."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    table, _, after = rest.partition(END)
    rows = {_key(line): line for line in table.splitlines() if line.startswith("| P")}
    rows.update({(one.metric, one.at): _row(one, load) for one in figures})
    lines = [*HEAD, *(rows[key] for key in BARS if key in rows)]
    body = "\n".join([BEGIN, "", *lines, "", END])
    PAGE.write_text(before + body + after, encoding="utf-8")


def _key(line: str) -> tuple[str, str]:
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    return cells[0], cells[1]


def _row(figure: Figure, load: float) -> str:
    bar = figure.bar
    target = "-" if bar.target is None else f"{'<=' if bar.most else '>='} {bar.target:g}"
    reached = {True: "yes", False: "**no**", None: "-"}[figure.good]
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    cells = [figure.metric, figure.at, f"{figure.value:.4g}", bar.unit, target, reached]
    return "| " + " | ".join([*cells, str(figure.n), day, _commit(), f"{load:.1f}"]) + " |"


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return ended.stdout.strip() or "-"


def load_now() -> float:
    """The load average of the last minute."""
    return os.getloadavg()[0]
