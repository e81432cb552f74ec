"""Each thing that would stop an install is named in one line with the way out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stet.stack.preflight import Machine, findings

GOOD = Machine(
    python=(3, 11),
    modules=frozenset({"venv", "ensurepip"}),
    system="Linux",
    processor="x86_64",
    flags=frozenset({"avx", "avx2"}),
    free_memory_gb=8.0,
    free_disk_gb=40.0,
)


def test_a_good_machine_has_nothing_to_say() -> None:
    assert findings(GOOD, model=True, installed=False) == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"python": (3, 9)}, "Python 3.9 does not do, Stet needs 3.11 to 3.14: install"),
        ({"python": (3, 10), "other_pythons": ("python3.12",)}, "run make with PYTHON=python3.12"),
        ({"modules": frozenset({"venv"})}, "apt-get install python3.11-venv"),
        ({"system": "Darwin", "processor": "arm64"}, "this is Darwin on arm64: set VLLM_URL"),
        ({"flags": frozenset({"avx"})}, "AVX2: set VLLM_URL"),
        ({"free_memory_gb": 2.0}, "Only 2.0 GB of memory are free"),
        ({"free_disk_gb": 3.0}, "Only 3.0 GB of disk are free, 10 GB are needed"),
    ],
)
def test_a_trap_is_one_line_that_stops_the_install(fault: dict[str, Any], words: str) -> None:
    [finding] = findings(replace(GOOD, **fault), model=True, installed=False)
    assert words in finding.text
    assert finding.fatal
    assert "\n" not in finding.text


def test_a_model_elsewhere_needs_neither_avx2_nor_memory() -> None:
    small = replace(GOOD, flags=frozenset(), free_memory_gb=1.0, system="Darwin")
    assert findings(small, model=False, installed=False) == []


def test_once_installed_a_gigabyte_of_disk_will_do() -> None:
    assert findings(replace(GOOD, free_disk_gb=3.0), model=True, installed=True) == []


def test_a_proxy_is_a_notice_that_stops_nothing() -> None:
    behind = replace(GOOD, environ={"HTTPS_PROXY": "http://proxy.example:3128"})
    [finding] = findings(behind, model=True, installed=False)
    assert "A proxy is set (HTTPS_PROXY)" in finding.text
    assert not finding.fatal


def test_this_machine_can_be_described() -> None:
    here = Machine.here(Path.cwd())
    assert here.python >= (3, 11)
    assert here.free_disk_gb > 0
    assert here.free_memory_gb > 0
