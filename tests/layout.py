"""The layout guard: ``python3 tests/layout.py`` prints what breaks the house rules."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {
    *(".ci", ".dockerignore", ".env.example", ".gitignore"),
    *("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *("Dockerfile", "Makefile", "Procfile", "docker-compose.yml", "manage.py", "pyproject.toml"),
    *("annotate", "docs", "platform", "rewards", "static", "templates", "tests", "training"),
}
SOURCE = frozenset([".py", ".js", ".css", ".html"])
LONGEST, LONG, MEDIAN = 400, 200, 80
PLACES = re.compile(r"(?<![\w.])/(?:work/(?:main|shared|scratch|plan)|root|opt/(?:wheels|pypi))\b")
HOSTS = re.compile(
    r"\b(?:(?:[a-z.-]+\.)?(?:pypi|pythonhosted|npmjs|yarnpkg)"
    r"|(?:download|wheels)\.pytorch|(?:deb|security)\.debian)\.(?:org|com|io)\b"
    r"|\b(?:docker|ghcr|quay)\.io\b"
)


def tracked(root: Path) -> list[Path]:
    """The files that git knows, relative to ``root``, as far as they are there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    )
    paths = [Path(name) for name in listed.stdout.split("\0") if name]
    return [path for path in paths if (root / path).is_file()]


def problems(root: Path, files: list[Path]) -> Iterator[str]:
    """Every breach, one line each."""
    if list((root / "platform").glob("*.py")):
        yield "platform/ is a source root: it may hold no .py file of its own"
    if not (root / "tests" / "__init__.py").exists():
        yield "tests/__init__.py is missing: without it tests/annotate shadows annotate"
    for name in sorted({path.parts[0] for path in files} - TOP_LEVEL):
        yield f"{name}: not one of the entries that the top folder may hold"
    for path in files:
        if "vendor" in path.parts:
            continue
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue
        if path.suffix in SOURCE and "migrations" not in path.parts:
            lines = text.count("\n")
            if lines > LONGEST:
                yield f"{path}: {lines} lines, {LONGEST} are the most"
        for number, line in enumerate(text.splitlines(), 1):
            if PLACES.search(line):
                yield f"{path}:{number}: names a path of one machine"
            if HOSTS.search(line):
                yield f"{path}:{number}: names the host of a package registry"


def sizes(root: Path, files: list[Path]) -> str:
    """How long the modules are, against the aim of the house."""
    modules = [path for path in files if path.suffix == ".py" and path.parts[0] != "tests"]
    counts = ((root / path).read_text().count("\n") for path in modules)
    lines = sorted(n for n in counts if n >= 5)
    return (
        f"{len(lines)} modules, half of them up to {statistics.median(lines):.0f} lines"
        f" (aim {MEDIAN}), nine of ten up to {lines[int(len(lines) * 0.9)]} (aim {LONG})"
    )


if __name__ == "__main__":
    listed = tracked(ROOT)
    found = list(problems(ROOT, listed))
    print("\n".join(found) or f"layout: in order; {sizes(ROOT, listed)}")
    sys.exit(bool(found))
