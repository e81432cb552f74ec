"""Translations are compiled without GNU gettext, and only when they changed."""

from __future__ import annotations

import gettext
import os
from pathlib import Path

from stet.stack.messages import compile_messages

CATALOGUE = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Continue"
msgstr "继续"
"""


def test_a_catalogue_is_compiled_once_until_it_changes(tmp_path: Path) -> None:
    folder = tmp_path / "zh_Hans" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    source = folder / "django.po"
    source.write_text(CATALOGUE)
    compiled = folder / "django.mo"
    assert compile_messages(tmp_path) == [compiled]
    assert gettext.translation("django", tmp_path, ["zh_Hans"]).gettext("Continue") == "继续"
    assert compile_messages(tmp_path) == []
    later = compiled.stat().st_mtime + 5
    os.utime(source, (later, later))
    assert compile_messages(tmp_path) == [compiled]
