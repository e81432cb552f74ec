"""docs/complaints.md names tests that exist, or says which part will have them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| (\d+|–) \| (.+?) \| (.+?) \| (.+) \|$")
NAME = re.compile(r"`(tests/[\w/]+\.(?:py|test\.mjs))::([^`]+)`")
COMPLAINTS = 38


def rows() -> list[tuple[str, str, str, str]]:
    text = (ROOT / "docs" / "complaints.md").read_text()
    return [found.groups() for line in text.splitlines() if (found := ROW.match(line))]  # type: ignore[misc]


def test_every_complaint_has_its_row() -> None:
    assert [row[0] for row in rows()][:COMPLAINTS] == [str(n + 1) for n in range(COMPLAINTS)]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_what_a_row_names_is_there(row: tuple[str, str, str, str]) -> None:
    named = NAME.findall(row[3])
    assert named or re.search(r"later: \w", row[3]), f"{row[0]} names neither a test nor a part"
    assert row[3].count("`tests/") == len(named), f"{row[0]} names something that is no test"
    for path, name in named:
        text = (ROOT / path).read_text() if (ROOT / path).exists() else ""
        meant = rf"def {name}\(" if path.endswith(".py") else rf"test\([\"`]{re.escape(name)}[\"`]"
        assert re.search(meant, text), f"{path} has no test named {name}"
