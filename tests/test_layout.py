"""The house keeps its shape."""

from __future__ import annotations

from pathlib import Path

from tests.layout import ROOT, problems, tracked


def test_the_checkout_breaks_no_rule_of_the_layout() -> None:
    assert list(problems(ROOT, tracked(ROOT))) == []


def test_each_breach_is_named(tmp_path: Path) -> None:
    (tmp_path / "platform").mkdir()
    (tmp_path / "platform" / "__init__.py").touch()
    (tmp_path / "notes.txt").write_text("see /" + "root/x and py" + "pi.org\n")
    (tmp_path / "long.py").write_text("x = 1\n" * 401)
    found = "\n".join(problems(tmp_path, [Path("notes.txt"), Path("long.py")]))
    for part in (
        "platform/ is a source root",
        "tests/__init__.py is missing",
        "notes.txt: not one of",
        "notes.txt:1: names a path",
        "notes.txt:1: names the host",
        "long.py: 401 lines",
    ):
        assert part in found
