"""What the stack's commands say while they work: one line a step, with the seconds gone."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TextIO

QUIET_EVERY = 30


class Step:
    """A slow step: on a terminal one line that counts, elsewhere a line now and then.

    ``usual`` says in words how long the step takes as a rule.
    """

    def __init__(self, what: str, usual: str = "", out: TextIO | None = None) -> None:
        self.what = what
        self.usual = f" (usually {usual})" if usual else ""
        self.out = out or sys.stdout
        self.note = ""
        self._ended = threading.Event()
        self._live = self.out.isatty()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Step:
        self.began = time.monotonic()
        if not self._live:
            self._write(f"{self.what}{self.usual} ...\n")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        word = "done" if error is None else "stopped"
        start = "\r\033[K" if self._live else "  "
        self._write(f"{start}{self.what}: {word} after {self.seconds:.0f} s{self._suffix()}\n")

    @property
    def seconds(self) -> float:
        """Seconds since the step began."""
        return time.monotonic() - self.began

    def _tick(self) -> None:
        while not self._ended.wait(1 if self._live else QUIET_EVERY):
            if self._live:
                self._write(
                    f"\r\033[K{self.what}: {self.seconds:.0f} s{self.usual}{self._suffix()}"
                )
            else:
                self._write(f"  {self.what}: {self.seconds:.0f} s{self._suffix()}\n")

    def _suffix(self) -> str:
        return f" {self.note}" if self.note else ""

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()


def say(text: str = "") -> None:
    """Print one line at once, also into a pipe."""
    print(text, flush=True)
