"""What the environment chooses for the demo: which parts run here, which are elsewhere."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stet.common.errors import StetError
from stet.stack.paths import HOME
from stet.stack.ports import free_port, http_get, is_free
from stet.stack.vllm import SERVED_NAME

WEB_PORT = 8000
POSTGRES_PORT, REDIS_PORT, MODEL_PORT = 55432, 56379, 58000


class BadChoice(StetError):
    """A variable does not fit; the text names it and the way out."""

    code = "bad_choice"


@dataclass(frozen=True)
class Elsewhere:
    """Addresses of parts that run elsewhere; None where the embedded part is used."""

    database: str | None
    redis: str | None
    model: str | None
    tokenizer: Path | None
    model_name: str


def elsewhere(environ: Mapping[str, str] = os.environ) -> Elsewhere:
    """Read DATABASE_URL, REDIS_URL, VLLM_URL, TOKENIZER_DIR and VLLM_MODEL."""
    model = environ.get("VLLM_URL", "").rstrip("/") or None
    folder = environ.get("TOKENIZER_DIR") or None
    if model and not folder:
        raise BadChoice("VLLM_URL needs TOKENIZER_DIR, a folder with the model's tokenizer.json.")
    if folder and not (Path(folder) / "tokenizer.json").is_file():
        raise BadChoice(f"TOKENIZER_DIR: {folder} holds no tokenizer.json.")
    name = environ.get("VLLM_MODEL", "")
    if model and not name:
        name = _first_served(model)
    return Elsewhere(
        database=environ.get("DATABASE_URL") or None,
        redis=environ.get("REDIS_URL") or None,
        model=model,
        tokenizer=Path(folder).resolve() if folder and model else None,
        model_name=name or SERVED_NAME,
    )


def web_port(environ: Mapping[str, str] = os.environ) -> tuple[int, str]:
    """The web server's port, and a notice when it is not the usual one."""
    chosen = environ.get("STET_PORT", "")
    if chosen:
        if not chosen.isdigit() or not 0 < int(chosen) < 65536:
            raise BadChoice(f"STET_PORT must be a port number, not {chosen!r}.")
        if not is_free(int(chosen)):
            raise BadChoice(f"Port {chosen} is in use: choose another STET_PORT.")
        return int(chosen), ""
    port = free_port(WEB_PORT)
    if port == WEB_PORT:
        return port, ""
    return port, f"Port {WEB_PORT} is in use, so {port} is taken; STET_PORT chooses another."


def secret_key(folder: Path = HOME) -> str:
    """The site's secret, made once and readable by its owner only."""
    path = folder / "secret"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return path.read_text().strip()


def _first_served(url: str) -> str:
    status, body = http_get(f"{url}/v1/models", timeout=5)
    try:
        return str(json.loads(body)["data"][0]["id"])
    except (ValueError, KeyError, IndexError, TypeError):
        raise BadChoice(
            f"VLLM_URL: {url}/v1/models answers {status or 'nothing'}: start that server, or set"
            " VLLM_MODEL to the name it serves."
        ) from None
