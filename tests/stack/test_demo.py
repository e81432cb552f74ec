"""One command starts everything, says where it is, and takes all of it away again."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from stet.stack.part import SECRETS
from stet.stack.paths import ROOT
from stet.stack.ports import free_port, http_get
from tests.scripted.app import App, Options
from tests.scripted.folder import write_folder
from tests.scripted.server import threaded
from tests.stack.test_parts import gone

FOLDERS = ("annotate", "platform", "rewards", "static", "templates", "training")


class Demo:
    """A copy of the checkout with a demo of its own, the model server being elsewhere."""

    def __init__(self, root: Path, model: str, tokenizer: Path) -> None:
        self.root = root
        self.environ = {
            **{key: value for key, value in os.environ.items() if key not in SECRETS},
            "PYTHONPATH": os.pathsep.join([str(root / "platform"), str(root)]),
            "DJANGO_SETTINGS_MODULE": "stet.settings",
            "STET_PORT": str(free_port()),
            "STET_DATA_DIR": str(root / "data"),
            "VLLM_URL": model,
            "TOKENIZER_DIR": str(tokenizer),
        }
        self.output = root / "output"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> str:
        """Start it and return its address; the seconds that took are in ``seconds``."""
        began = time.monotonic()
        with self.output.open("wb") as out:
            self.process = subprocess.Popen(
                self.command, cwd=self.root, env=self.environ, stdout=out
            )
        while not (found := re.search(r"Stet is at (\S+)", self.output.read_text())):
            assert self.process.poll() is None, self.output.read_text()
            assert time.monotonic() - began < 120, self.output.read_text()
            time.sleep(0.1)
        self.seconds = time.monotonic() - began
        return found[1]

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "stet.stack.demo"]

    def family(self) -> list[int]:
        """All the processes of the demo."""
        assert self.process is not None
        return [one.pid for one in psutil.Process(self.process.pid).children(recursive=True)]

    def end(self, how: signal.Signals) -> int:
        """Send a signal and wait; returns the exit status."""
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(30)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    root = tmp_path / "checkout"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "manage.py", root)
    tokenizer = write_folder(tmp_path / "model")
    with threaded(App(tokenizer, Options())) as model:
        one = Demo(root, model.url, tokenizer)
        yield one
        if one.process is not None and one.process.poll() is None:
            one.end(signal.SIGTERM)


def test_the_demo_answers_is_alone_and_leaves_nothing(demo: Demo) -> None:
    address = demo.start()
    status, page = http_get(address)
    assert status == 200
    assert b"Stet" in page
    again = subprocess.run(
        demo.command, cwd=demo.root, env=demo.environ, capture_output=True, text=True, check=True
    )
    assert f"already runs at {address}" in again.stdout
    family = demo.family()
    began = time.monotonic()
    assert demo.end(signal.SIGINT) == 0
    assert time.monotonic() - began < 15
    assert all(gone(pid, 3) for pid in family)
    assert (demo.root / ".stet" / "secret").stat().st_mode & 0o777 == 0o600
    # The second start finds its data and is killed: its parts must not outlive it.
    demo.start()
    assert demo.seconds < 60
    family = demo.family()
    demo.end(signal.SIGKILL)
    assert all(gone(pid, 25) for pid in family)
