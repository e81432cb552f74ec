"""Leave nothing behind: end a process group when its leader, or the process it belongs to, is gone.

A killed terminal, test run or supervisor must not leave a model server with its memory, and a
killed leader must not leave its children. ``leash.py [--as ACCOUNT] COMMAND ...`` becomes the
command, leashed to the process that started it. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import select
import signal
import subprocess
import sys

GRACE_SECONDS = 15


def leash(group: int) -> subprocess.Popen[bytes]:
    """Start a watcher that ends process group ``group`` with its leader or with this process."""
    return subprocess.Popen(
        [sys.executable, "-S", "-E", __file__, "--watch", str(os.getpid()), str(group)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def become(command: list[str], account: str | None = None) -> None:
    """Turn this process, a group's leader, into ``command``, leashed to its parent.

    It drops from root to ``account`` itself, since the account may not reach this interpreter.
    """
    owner, group = os.getppid(), os.getpid()
    child = os.fork()
    if not child:
        # Twice, so that the watcher is nobody's child: the command must not find a stranger.
        os.setsid()
        if not os.fork():
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(quiet, stream)
            watch(owner, group)
        os._exit(0)
    os.waitpid(child, 0)
    if account:
        entry = pwd.getpwnam(account)
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    os.execvp(command[0], command)


def watch(owner: int, group: int) -> None:
    """Wait for the end of the group's leader or of its owner, then end the whole group."""
    with contextlib.suppress(ProcessLookupError):
        leader = os.pidfd_open(group)
        with contextlib.suppress(ProcessLookupError):
            select.select([os.pidfd_open(owner), leader], [], [])
        if not select.select([leader], [], [], 0)[0]:
            os.killpg(group, signal.SIGTERM)
            select.select([leader], [], [], GRACE_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    if sys.argv[1] == "--watch":
        watch(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "--as":
        become(sys.argv[3:], account=sys.argv[2])
    else:
        become(sys.argv[1:])
