"""Loopback ports and HTTP calls that no proxy setting can divert."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request

LOOPBACK = "127.0.0.1"
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def is_free(port: int) -> bool:
    """Whether nothing listens on the loopback port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_port(preferred: int = 0) -> int:
    """``preferred`` or the next free port after it; any free port when it is 0."""
    if preferred:
        for port in range(preferred, min(preferred + 200, 65536)):
            if is_free(port):
                return port
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def http_status(url: str, *, timeout: float = 2) -> int:
    """The status that ``url`` answers with, 0 when nothing answers."""
    return http_get(url, timeout=timeout)[0]


def http_get(url: str, *, timeout: float = 2) -> tuple[int, bytes]:
    """Status and body of an http address, ``(0, b"")`` when nothing answers."""
    try:
        with _opener.open(url, timeout=timeout) as answer:
            return int(answer.status), answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read()
    except OSError:
        return 0, b""
