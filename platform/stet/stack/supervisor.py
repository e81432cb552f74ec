"""The one supervisor of the demo: supervisord over the parts, spoken to through its socket."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import xmlrpc.client
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import psutil
from supervisor.xmlrpc import SupervisorTransport

from stet.stack import leash
from stet.stack.part import SECRETS, Part
from stet.stack.paths import LOGS, ROOT, RUN

STOP_SECONDS = 14
SOCKET_LIMIT = 100

HEAD = """\
[supervisord]
nodaemon = true
silent = true
logfile = {logs}/supervisord.log
logfile_maxbytes = 2MB
logfile_backups = 1
pidfile = {run}/supervisord.pid
childlogdir = {logs}
{user}
[unix_http_server]
file = {socket}
chmod = 0700
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
"""
PROGRAM = """\
[program:{name}]
command = {command}
directory = {root}
environment = {environment}
autostart = false
autorestart = true
startsecs = 1
startretries = 10
stopsignal = {signal}
stopwaitsecs = {stop:.0f}
killasgroup = true
redirect_stderr = true
stdout_logfile = {logs}/{name}.log
stdout_logfile_maxbytes = 5MB
stdout_logfile_backups = 2
"""


class Supervisor:
    """Runs groups of parts and starts again what ends. Groups stop one after the other.

    ``groups`` maps a group's name to its parts; the groups named last stop first. ``environ`` is
    what supervisord and so every part inherits; it appears in no file.
    """

    def __init__(
        self,
        groups: Mapping[str, Sequence[Part]],
        environ: Mapping[str, str] = os.environ,
        *,
        run: Path = RUN,
        logs: Path = LOGS,
    ) -> None:
        self.groups = groups
        self.environ = dict(environ)
        self.run_folder = run
        self.logs = logs
        self.config = run / "supervisord.conf"
        socket = run / "supervisor.sock"
        if len(str(socket)) > SOCKET_LIMIT:
            socket = Path(tempfile.mkdtemp(prefix="stet-")) / "supervisor.sock"
        self.socket = socket
        self._process: subprocess.Popen[bytes] | None = None
        self._leash: subprocess.Popen[bytes] | None = None

    def _ask(self, what: str, *arguments: object) -> Any:
        transport = SupervisorTransport(None, None, f"unix://{self.socket}")
        with xmlrpc.client.ServerProxy("http://127.0.0.1", transport) as proxy:
            return getattr(cast(Any, proxy).supervisor, what)(*arguments)

    def start(self) -> None:
        """Write the configuration and start supervisord, with no part running yet."""
        self.run_folder.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(parents=True, exist_ok=True)
        self.config.touch(mode=0o600)
        self.config.write_text(self.text())
        errors_log = self.logs / "supervisord.err"
        with errors_log.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "supervisor.supervisord", "-c", str(self.config)],
                cwd=ROOT,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        self._leash = leash.leash(self._process.pid)
        for _try in range(100):
            with contextlib.suppress(OSError, xmlrpc.client.Error):
                self._ask("getState")
                return
            time.sleep(0.1)
        raise RuntimeError(f"The supervisor did not start: see {errors_log}")

    def text(self) -> str:
        """The configuration file."""
        user = "user = root" if os.geteuid() == 0 else ""
        blocks = [HEAD.format(logs=self.logs, run=self.run_folder, socket=self.socket, user=user)]
        for number, (group, parts) in enumerate(self.groups.items(), 1):
            names = ",".join(part.name for part in parts)
            blocks.append(f"[group:{group}]\nprograms = {names}\npriority = {number}\n")
            blocks += [self._program(part) for part in parts]
        return "\n".join(blocks)

    def _program(self, part: Part) -> str:
        account = part.account()
        drop = ["--as", account] if account else []
        command = [sys.executable, "-S", "-E", leash.__file__, *drop, *part.command()]
        wanted = part.environment()
        differs = {key: value for key, value in wanted.items() if self.environ.get(key) != value}
        blanked = dict.fromkeys(SECRETS - set(wanted), "")
        pairs = sorted({**differs, **blanked}.items())
        return PROGRAM.format(
            name=part.name,
            command=_literal(shlex.join(command)),
            root=_literal(str(ROOT)),
            environment=",".join(f"{key}={_quoted(value)}" for key, value in pairs),
            signal=part.stop_signal.name.removeprefix("SIG"),
            stop=part.stop_seconds,
            logs=_literal(str(self.logs)),
        )

    def run(self, part: Part) -> None:
        """Start one part; it is started again whenever it ends."""
        self._ask("startProcess", self._full_name(part), False)

    def states(self) -> dict[str, str]:
        """Each part's state in the supervisor's words, such as RUNNING or FATAL."""
        return {info["name"]: info["statename"] for info in self._ask("getAllProcessInfo")}

    def pids(self) -> dict[str, int]:
        """The process id of each part that runs."""
        return {info["name"]: info["pid"] for info in self._ask("getAllProcessInfo") if info["pid"]}

    @property
    def alive(self) -> bool:
        """Whether supervisord itself runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop everything, within ``STOP_SECONDS`` whatever the parts do."""
        if self._process is None:
            return
        family = psutil.Process(self._process.pid).children(recursive=True) if self.alive else []
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for left in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
        if self._leash is not None:
            self._leash.wait(5)

    def _full_name(self, part: Part) -> str:
        group = next(name for name, parts in self.groups.items() if part in parts)
        return f"{group}:{part.name}"


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    """A value in supervisord's own quoting, which knows no escapes."""
    mark = "'" if '"' in text else '"'
    return f"{mark}{_literal(text)}{mark}"
