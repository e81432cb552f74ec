"""The long tests: ``python -m tests.deep [--minutes N]``, whole or a slice that moves on.

A slice starts at a test that follows from the number of commits and the day, goes round once and
begins no test after its minutes are over. Keep one deep test under four minutes, and free of
coroutines: where Chromium runs, no other loop can.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import time

import pytest


class Slice:
    """A pytest plugin that turns the order of the tests and stops beginning new ones in time."""

    def __init__(self, minutes: float, position: int) -> None:
        self.minutes = minutes
        self.position = position
        self.began = time.monotonic()
        self.ran = 0
        self.total = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        deep = [item for item in items if item.get_closest_marker("deep")]
        self.total = len(deep)
        self.position %= max(self.total, 1)
        items[:] = deep[self.position :] + deep[: self.position]

    def pytest_runtest_setup(self) -> None:
        if time.monotonic() - self.began > self.minutes * 60:
            pytest.skip("the minutes of this slice are over")
        self.ran += 1

    def where(self) -> str:
        """Which tests of the whole were run."""
        after = (self.position + self.ran) % max(self.total, 1)
        return (
            f"check-deep slice: {self.ran} of {self.total} long tests, from number"
            f" {self.position + 1 if self.total else 0}; the next would be number {after + 1}"
        )


def position_now() -> int:
    """A number that moves on with every commit and every day."""
    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=False
    )
    commits = int(counted.stdout) if counted.stdout.strip().isdigit() else 0
    return commits + datetime.datetime.now(datetime.UTC).toordinal()


def main() -> int:
    """Run the deep tests, or a slice of them. Returns pytest's exit status, 0 for none found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--position", type=int)
    parser.add_argument("rest", nargs="*", help="handed on to pytest")
    options = parser.parse_args()
    whole = options.minutes == float("inf")
    position = 0 if whole else position_now() if options.position is None else options.position
    part = Slice(options.minutes, position)
    # A slice may begin with Chromium, whose driver keeps a loop in this thread from then on.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    status = pytest.main(["-m", "deep", *options.rest], plugins=[part])
    print(part.where(), flush=True)
    return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)


if __name__ == "__main__":
    sys.exit(main())
