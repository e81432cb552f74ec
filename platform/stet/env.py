"""Typed readers of the environment. A wrong value stops the process with one clear line."""

import os
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class EnvError(SystemExit):
    """The environment does not allow a start; the message names the variable and the way out."""

    def __init__(self, message: str) -> None:
        super().__init__(f"stet: {message}")


def env_str(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def env_int(name: str, default: int) -> int:
    text = env_str(name)
    try:
        return int(text) if text else default
    except ValueError:
        raise EnvError(f"{name} must be a whole number, not {text!r}") from None


def env_bool(name: str, default: bool = False) -> bool:
    text = env_str(name).lower()
    if text not in {"", "0", "1", "false", "true", "no", "yes"}:
        raise EnvError(f"{name} must be 0 or 1, not {text!r}")
    return default if not text else text in {"1", "true", "yes"}


def env_list(name: str, default: str) -> list[str]:
    return [part.strip() for part in env_str(name, default).split(",") if part.strip()]


def env_origin(name: str) -> str:
    """An address as a browser calls it, ``https://stet.example.org``; "" where none is set."""
    text = env_str(name).rstrip("/")
    parts = urlsplit(text)
    if text and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.path):
        raise EnvError(f"{name} must look like https://stet.example.org, not {text!r}")
    return text


def env_secret(name: str) -> str:
    """A secret of at least 32 characters; there is no default."""
    text = env_str(name)
    if len(text) < 32:
        raise EnvError(f"{name} must be set to at least 32 random characters")
    return text


def database(url: str, *, pool: dict[str, Any] | bool, timeout_ms: int) -> dict[str, Any]:
    """Django's settings for a ``postgresql://user:password@host:port/name`` address."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise EnvError("DATABASE_URL must look like postgresql://user:password@host:5432/name")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", None) or unquote(parts.hostname or "")
    options["options"] = f"-c statement_timeout={timeout_ms} -c lock_timeout={timeout_ms}"
    if pool:
        options["pool"] = pool
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
        "CONN_HEALTH_CHECKS": False,
        "CONN_MAX_AGE": 0,
    }
