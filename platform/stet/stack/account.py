"""A system account for PostgreSQL, which refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from pathlib import Path

from stet.common.errors import Unavailable

ACCOUNT = "stet-postgres"
STAND_INS = ("postgres", "nobody")


def unprivileged_account() -> str | None:
    """The account to run under when this process is root, made if need be; else None."""
    if os.geteuid() != 0:
        return None
    if not _exists(ACCOUNT) and shutil.which("useradd"):
        command = ["useradd", "--system", "--user-group", "--no-create-home", ACCOUNT]
        subprocess.run(command, capture_output=True, check=False)
    for name in (ACCOUNT, *STAND_INS):
        if _exists(name):
            return name
    raise Unavailable("PostgreSQL cannot run as root, and useradd is missing: run as a user.")


def open_to(account: str | None, *folders: Path) -> None:
    """Let ``account`` pass through the parents of the folders: traversal only, not reading."""
    if account is None:
        return
    for folder in folders:
        for parent in folder.parents:
            mode = parent.stat().st_mode
            if not mode & stat.S_IXOTH:
                parent.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)


def give(folder: Path, account: str | None) -> None:
    """Make ``account`` the owner of all that is in ``folder``."""
    if account is None:
        return
    entry = pwd.getpwnam(account)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
