"""What would stop an install or a start, each with the way out. Standard library only."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MINIMUM_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 14)
MODEL_MEMORY_GB = 5.0
INSTALL_DISK_GB = 10.0
RUN_DISK_GB = 1.0
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
ELSEWHERE = "set VLLM_URL and TOKENIZER_DIR to use a vLLM server elsewhere"


@dataclass(frozen=True)
class Machine:
    """The facts that decide whether Stet can be installed and run here."""

    python: tuple[int, int]
    modules: frozenset[str]
    system: str
    processor: str
    flags: frozenset[str]
    free_memory_gb: float
    free_disk_gb: float
    environ: Mapping[str, str] = field(default_factory=dict)
    other_pythons: tuple[str, ...] = ()

    @classmethod
    def here(cls, folder: Path) -> Machine:
        """This machine, as seen from ``folder``."""
        return cls(
            python=(sys.version_info[0], sys.version_info[1]),
            modules=frozenset(m for m in ("venv", "ensurepip") if importlib.util.find_spec(m)),
            system=platform.system(),
            processor=platform.machine(),
            flags=cpu_flags(),
            free_memory_gb=_free_memory_gb(),
            free_disk_gb=shutil.disk_usage(folder).free / 1e9,
            environ=dict(os.environ),
            other_pythons=tuple(_other_pythons()),
        )


@dataclass(frozen=True)
class Finding:
    """One obstacle; a notice does not stop the work."""

    text: str
    fatal: bool = True


def findings(machine: Machine, *, model: bool, installed: bool) -> list[Finding]:
    """What stands in the way. ``model``: the embedded vLLM is wanted, ``installed``: pip ran."""
    found = [Finding(text) for text in _python_faults(machine)]
    if model:
        found += [Finding(text) for text in _model_faults(machine)]
    needed = RUN_DISK_GB if installed else INSTALL_DISK_GB
    if machine.free_disk_gb < needed:
        found.append(
            Finding(
                f"Only {machine.free_disk_gb:.1f} GB of disk are free, {needed:.0f} GB are needed:"
                " free some, or move the checkout to a larger disk."
            )
        )
    proxies = [name for name in PROXIES if machine.environ.get(name)]
    if proxies and not installed:
        found.append(
            Finding(
                f"A proxy is set ({', '.join(proxies)}): pip will use it."
                f" If the install fails, run again with `env -u {proxies[0]}` in front.",
                fatal=False,
            )
        )
    return found


def _python_faults(machine: Machine) -> Iterable[str]:
    version = ".".join(map(str, machine.python))
    if not MINIMUM_PYTHON <= machine.python <= NEWEST_PYTHON:
        way_out = (
            f"run make with PYTHON={machine.other_pythons[0]}"
            if machine.other_pythons
            else "install Python 3.11 and run make with PYTHON=python3.11"
        )
        yield f"Python {version} does not do, Stet needs 3.11 to 3.14: {way_out}."
    elif missing := {"venv", "ensurepip"} - machine.modules:
        yield (
            f"Python's module {' and '.join(sorted(missing))} is missing: install it"
            f" (Debian, Ubuntu: apt-get install python{version}-venv)."
        )


def _model_faults(machine: Machine) -> Iterable[str]:
    if (machine.system, machine.processor) != ("Linux", "x86_64"):
        yield (
            f"The embedded model server needs Linux on x86-64 (WSL2 will do), this is"
            f" {machine.system} on {machine.processor}: {ELSEWHERE}."
        )
    elif "avx2" not in machine.flags:
        yield f"The embedded model server needs a processor with AVX2: {ELSEWHERE}."
    if machine.free_memory_gb < MODEL_MEMORY_GB:
        yield (
            f"Only {machine.free_memory_gb:.1f} GB of memory are free, the embedded model server"
            f" needs {MODEL_MEMORY_GB:.0f} GB: close other programs, or {ELSEWHERE}."
        )


def cpu_flags() -> frozenset[str]:
    """What the processor can do, as the kernel names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return next(
        (frozenset(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")),
        frozenset(),
    )


def _free_memory_gb() -> float:
    """Memory that can still be had, in GB; infinite where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return float("inf")
    free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            used = int((group / "memory.current").read_text())
            free = min(free, int(limit) - used)
    except (OSError, ValueError):
        pass
    return free / 1e9


def _other_pythons() -> Iterable[str]:
    minors = range(NEWEST_PYTHON[1], MINIMUM_PYTHON[1] - 1, -1)
    return (name for minor in minors if shutil.which(name := f"python3.{minor}"))
