"""Start everything on this machine and say where it is: ``python -m stet.stack.demo [option ...]``.

The options are those of ``manage.py demo``, such as ``--traces FILE``.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from stet.common.errors import StetError
from stet.stack.choices import elsewhere, secret_key, web_port
from stet.stack.installation import Installation
from stet.stack.messages import compile_messages
from stet.stack.model import ModelMissing, ensure_model
from stet.stack.part import Part, PartFailed
from stet.stack.paths import HOME, LOGS, ROOT, RUN
from stet.stack.supervisor import Supervisor
from stet.stack.terminal import Step, say
from stet.stack.vllm import USUALLY

TRIES = 4
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop(BaseException):
    """Somebody asked the demo to end."""


def main() -> int:
    """Run the demo until it is stopped. Returns 0, or 1 with the reason printed."""
    for number in SIGNALS:
        signal.signal(number, _stop)
    HOME.mkdir(exist_ok=True)
    try:
        with _only_one() as first:
            return _run() if first else 0
    except Stop:
        return 0
    except (StetError, ModelMissing) as problem:
        say(str(problem))
        return 1


def _run() -> int:
    chosen = elsewhere()
    port, notice = web_port()
    if notice:
        say(notice)
    model = chosen.tokenizer or ensure_model()
    compile_messages()
    site = Installation(chosen, web_port=port, tokenizer=model, secret_key=_secret())
    supervisor = Supervisor(site.groups, site.environment())
    try:
        _start(site, supervisor)
        return _watch(site, supervisor)
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        with Step("Stopping", "2-10 s"):
            supervisor.stop()
        (RUN / "demo.json").unlink(missing_ok=True)


def _start(site: Installation, supervisor: Supervisor) -> None:
    supervisor.start()
    with Step("Starting the database and the broker", "2-5 s"):
        for part in site.stores:
            supervisor.run(part)
        for part in site.stores:
            _wait(supervisor, part)
    with Step("Bringing the database up to date", "2-8 s"):
        _manage(site, "migrate", "--noinput", "--verbosity", "0")
    # The web process first, the model last: pages must not wait for what else needs the cores.
    _begin(supervisor, site.web)
    with Step("Loading the demo project", "2-10 s"):
        sign_ins = _manage(site, "demo", *sys.argv[1:])
    with Step("Starting the web server", "2-6 s"):
        _wait(supervisor, site.web)
    for part in site.helpers:
        _begin(supervisor, part)
    (RUN / "demo.json").write_text(json.dumps({"pid": os.getpid(), "url": site.web.url}))
    say(f"\nStet is at {site.web.url}\n\n{sign_ins.strip()}\n\nCtrl-C stops it. Logs: {LOGS}\n")


def _watch(site: Installation, supervisor: Supervisor) -> int:
    """Say how far the model is, then what happens to the parts, until stopped."""
    if site.model:
        _begin(supervisor, site.model)
        try:
            with Step("Model loading", USUALLY):
                _wait(supervisor, site.model)
            say("The model answers.")
        except PartFailed as problem:
            say(f"{problem}\nPages and the queue go on without it.")
    known = supervisor.pids()
    while supervisor.alive:
        time.sleep(1)
        try:
            pids, states = supervisor.pids(), supervisor.states()
        except OSError:
            continue  # it is ending: the loop's condition says so in a moment
        for name, state in states.items():
            if state == "FATAL" and name in known:
                say(f"{name} does not start: see {LOGS}/{name}.log. The other parts go on.")
                del known[name]
            elif name in known and pids.get(name, known[name]) != known[name]:
                say(f"{name} ended and was started again.")
                known[name] = pids[name]
    say(f"The supervisor ended: see {LOGS / 'supervisord.log'}.")
    return 1


def _begin(supervisor: Supervisor, part: Part) -> None:
    part.prepare()
    supervisor.run(part)


def _wait(supervisor: Supervisor, part: Part) -> None:
    limit = time.monotonic() + part.ready_seconds
    tries: set[int] = set()
    while not part.ready():
        tries.add(supervisor.pids().get(part.name, 0))
        if len(tries) > TRIES or time.monotonic() > limit:
            log = LOGS / f"{part.name}.log"
            raise PartFailed(f"{part.name} does not start.\n{_tail(log)}\nLog: {log}")
        time.sleep(0.2)


def _manage(site: Installation, *arguments: str) -> str:
    """Run a command of manage.py, return what it printed."""
    ended = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env=site.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        last = "\n  ".join((ended.stdout + ended.stderr).strip().splitlines()[-6:])
        raise PartFailed(f"manage.py {arguments[0]} failed:\n  {last}")
    return ended.stdout


def _tail(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = log.read_text(errors="replace").splitlines()
        return "\n".join(f"  {line}" for line in lines[-8:])
    return ""


def _secret() -> str:
    return os.environ.get("SECRET_KEY") or secret_key()


@contextlib.contextmanager
def _only_one() -> Iterator[bool]:
    """Hold the checkout's demo lock. Yields False, with the address printed, if it is taken."""
    RUN.mkdir(parents=True, exist_ok=True)
    with (RUN / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"A demo of this checkout already runs{_where()}. Ctrl-C in its window stops it.")
            yield False
            return
        yield True


def _where() -> str:
    try:
        state = json.loads((RUN / "demo.json").read_text())
        return f" at {state['url']} (process {state['pid']})"
    except (OSError, ValueError, KeyError):
        return " and is still starting"


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise Stop


if __name__ == "__main__":
    sys.exit(main())
