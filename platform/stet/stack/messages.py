"""Compile the translations, without GNU gettext: ``python -m stet.stack.messages``."""

from __future__ import annotations

import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from stet.stack.paths import ROOT

LOCALES = ROOT / "platform" / "stet" / "locale"


def compile_messages(folder: Path = LOCALES) -> list[Path]:
    """Write the `.mo` beside every newer `.po`; returns those that were written."""
    written = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as text:
            catalogue = read_po(text, abort_invalid=True)
        fresh = target.with_suffix(".mo.new")
        with fresh.open("wb") as out:
            write_mo(out, catalogue)
        fresh.replace(target)
        written.append(target)
    return written


if __name__ == "__main__":
    for path in compile_messages():
        print(path.relative_to(ROOT))
    sys.exit(0)
