"""A part of the stack: how one server is started, known to be ready, and ended."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

import psutil

from stet.common.errors import Unavailable
from stet.stack.leash import leash
from stet.stack.paths import ROOT
from stet.stack.ports import free_port

SECRETS = frozenset({"SECRET_KEY", "DATABASE_URL", "REDIS_URL"})


class PartFailed(Unavailable):
    """A part of the stack did not start, or ended by itself."""

    code = "part_failed"


class Part:
    """One server with its folder, its port and, once started, its process.

    The same object describes the part to a supervisor (``prepare``, ``command``, ``environment``)
    or runs it itself (``start``, ``kill``, ``stop``). Only processes that it started are ended.
    """

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    stop_seconds: ClassVar[float] = 8
    ready_seconds: ClassVar[float] = 60

    def __init__(
        self, folder: Path, *, port: int | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder.resolve()
        self.port = port or free_port()
        self.env = dict(env or {})
        self.log = self.folder / f"{self.name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._leash: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    def prepare(self) -> None:
        """Make the folder and the files that the command needs."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def command(self) -> list[str]:
        """The command line that runs the part in the foreground."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        """The whole environment of the part: what it has no use for, such as secrets, left out."""
        kept = {key: value for key, value in os.environ.items() if key not in SECRETS}
        return {**kept, **self.env}

    def account(self) -> str | None:
        """The system account to run under, None for the current one."""
        return None

    def ready(self) -> bool:
        """Whether the part answers now; a single short try."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        """The process id of the running part."""
        if self._process is None:
            raise PartFailed(f"{self.name} is not running")
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self, *, wait: bool = True) -> Self:
        """Start the process and, if asked, wait until it is ready."""
        self.prepare()
        entry = pwd.getpwnam(account) if (account := self.account()) else None
        with self.log.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                self.command(),
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=entry.pw_uid if entry else None,
                group=entry.pw_gid if entry else None,
                extra_groups=[] if entry else None,
            )
        self._leash = leash(self._process.pid)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self, timeout: float | None = None) -> None:
        """Wait until the part answers. Raises PartFailed with the end of its log."""
        limit = time.monotonic() + (timeout or self.ready_seconds)
        while not self.ready():
            if not self.alive or time.monotonic() > limit:
                why = "did not get ready in time" if self.alive else "ended at its start"
                tail = self.tail()
                self.kill()
                raise PartFailed(f"{self.name} {why}; the end of {self.log}:\n{tail}")
            time.sleep(0.05)

    def tail(self, lines: int = 15) -> str:
        """The end of what the part has printed since its last start."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])

    def kill(self) -> None:
        """SIGKILL to the process and all that descends from it."""
        self._end(signal.SIGKILL, 5)

    def stop(self) -> None:
        """Ask the process to end, then kill what is left."""
        self._end(self.stop_signal, self.stop_seconds)

    def restart(self) -> Self:
        """Stop and start again, at the same port with the same data."""
        self.stop()
        return self.start()

    def __enter__(self) -> Self:
        return self if self.alive else self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _end(self, how: signal.Signals, seconds: float) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        family = _descendants(process.pid)
        if process.poll() is None:
            if how is signal.SIGKILL:
                _signal_group(process.pid, how)
            else:
                process.send_signal(how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        _signal_group(process.pid, signal.SIGKILL)
        process.wait(5)
        if not _gone(family, 1):
            for orphan in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    orphan.kill()
            _gone(family, 5)
        if self._leash is not None:
            self._leash.wait(5)
            self._leash = None


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return []


def _gone(family: list[psutil.Process], seconds: float) -> bool:
    """Whether all have ended within the time; a zombie has ended."""
    limit = time.monotonic() + seconds
    while any(_runs(process) for process in family):
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _signal_group(group: int, how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, how)
