"""`datasets.load_dataset` reads exports over HTTP from the real server, with a token."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import uvicorn

from stet.accounts.models import User
from stet.accounts.services import token_create
from stet.projects.models import Project
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import export_of, lines_of
from training.documents import export_data
from training.models import Export

pytest.importorskip("datasets", reason="the extra `train` is not installed")
pytestmark = pytest.mark.django_db(transaction=True)

READ = """
import json, sys
import datasets
told = json.loads(sys.argv[1])
options = {"headers": {"Authorization": "Token " + told["token"]}}
found = {}
for name, kind, url, streaming in told["reads"]:
    rows = datasets.load_dataset(
        kind, data_files=url, split="train", streaming=streaming, storage_options=options
    )
    found[name] = [dict(row) for row in rows]
print(json.dumps(found))
"""


@pytest.fixture
def server() -> Iterator[str]:
    """The site under uvicorn on a free port of the loopback address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(
        "stet.asgi:application", port=port, lifespan="off", log_level="warning", ws="none"
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not running.started and time.monotonic() < until:
        time.sleep(0.05)
    assert running.started
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def exports(
    grow: Callable[..., Tree], project: Project, researcher: User, tmp_path: Path, settings: Any
) -> dict[str, Export]:
    settings.DATA_DIR = tmp_path / "data"
    for text in ("5", "five", "⁵ 五"):
        tree = grow(reference=text)
        wrong = tree.sample([*ids_of("6, because"), EOS], others=ids_of(text))
        tree.correct(wrong, 0, ids_of(text), how="type")
        tree.sample([EOS])
        tree.submit()
    return {
        name: export_of(project, researcher, name)
        for name in ("sft", "dpo", "rollouts", "token-corrections")
    }


def test_every_kind_of_file(
    server: str, exports: dict[str, Export], researcher: User, tmp_path: Path
) -> None:
    _, token = token_create(user=researcher, name="trainer", scopes=["read"])
    reads = []
    for name, export in exports.items():
        urls = [f"{server}{file['url']}" for file in export_data(export)["files"][:3]]
        for kind, url in zip(("json", "json", "parquet"), urls, strict=True):
            for streaming in (False, True):
                reads.append([f"{name} {Path(url).name} {streaming}", kind, url, streaming])
    done = subprocess.run(
        [sys.executable, "-c", READ, json.dumps({"token": token, "reads": reads})],
        env={**os.environ, "HF_HOME": str(tmp_path / "hf"), "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 24
    for name, rows in found.items():
        meant = lines_of(exports[name.partition(" ")[0]])
        for row, told in zip(rows, meant, strict=True):
            assert {key: row[key] for key in row if key != "rewards"} == {
                key: told[key] for key in told if key != "rewards"
            }, name


def test_ranges_and_rights_under_asgi(
    server: str, exports: dict[str, Export], researcher: User, stranger: User
) -> None:
    file = export_data(exports["sft"])["files"][0]
    keys = [
        token_create(user=user, name="reader", scopes=["read"])[1]
        for user in (researcher, stranger)
    ]
    asyncio.run(ask_for(server, file, keys))


async def ask_for(server: str, file: dict[str, Any], keys: list[str]) -> None:
    async with aiohttp.ClientSession() as session:

        async def ask(method: str, key: str | None, **headers: str) -> tuple[int, Any, bytes]:
            if key is not None:
                headers["Authorization"] = f"Token {key}"
            async with session.request(method, server + file["url"], headers=headers) as answer:
                return answer.status, answer.headers, await answer.read()

        status, headers, whole = await ask("GET", keys[0])
        assert (status, len(whole), headers["Content-Length"]) == (
            200,
            file["size"],
            str(file["size"]),
        )
        status, headers, body = await ask("HEAD", keys[0])
        assert (status, body, headers["Content-Length"]) == (200, b"", str(file["size"]))
        status, headers, part = await ask("GET", keys[0], Range="bytes=10-19")
        assert (status, part) == (206, whole[10:20])
        assert (await ask("GET", keys[0], Range=f"bytes={file['size']}-"))[0] == 416
        assert (await ask("GET", keys[0], **{"If-None-Match": headers["ETag"]}))[0] == 304
        assert (await ask("GET", keys[1]))[0] == 404
        assert (await ask("GET", None))[0] == 401
