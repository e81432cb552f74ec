"""Several clients correct at once, two of them the same episode, while the web process dies."""

from __future__ import annotations

import http.client
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stet.stack.parts import Web
from tests.history import History, check
from tests.live.api import Answer, Api, fresh_key
from tests.live.stack import Scripted, Stack
from tests.live.test_kill_web import streaming

CLIENTS, ACTS = 4, 12


def insisted(api: Api, path: str, body: object) -> Answer:
    """The answer to an act that is repeated with its key until there is one."""
    key, limit = fresh_key(), time.monotonic() + 90
    while True:
        try:
            answer = api.act(path, body, key=key)
            if answer.status != 503 and answer.code_or_none != "idempotency_key_in_flight":
                return answer
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < limit
        time.sleep(0.2)


def work(api: Api, episode: int, file: Path, number: int) -> None:
    """Correct at random places; every answer goes into the client's own history."""
    history, luck = History(file), random.Random(number)
    for act in range(ACTS):
        while True:
            try:
                path = api.path(episode)
                break
            except (OSError, http.client.HTTPException):
                time.sleep(0.2)
        piece = path["pieces"][-1]
        body = {
            "if_head": path["version"],
            "segment": piece["segment"],
            "index": luck.randrange(piece["end"] - piece["start"]),
            "choice": {"text": f" client {number} act {act}"},
            "continue": False,
        }
        answer = insisted(api, f"/episodes/{episode}/corrections", body)
        if answer.status == 201:
            done = answer.body
            version, made = done["episode"]["version"], done["correction"]["id"]
            history.note("ok", "correct", episode=episode, version=version, id=made)
        else:
            assert answer.code in {"stale_head", "same_token"}, answer
            history.note("fail", "correct", episode=episode, version=path["version"])


def test_every_accepted_correction_is_there_once(
    stack: Stack, quick: Scripted, tmp_path: Path
) -> None:
    web: Web = stack.web(quick)
    apis = [stack.api(web) for _ in range(CLIENTS - 1)]
    apis.append(Api(web.url, apis[0].key))
    episodes = []
    for api in apis[:-1]:
        episode, generation, tab = streaming(stack, api, tokens=1)
        tab.end(generation)
        tab.close()
        episodes.append(episode)
    episodes.append(episodes[0])
    files = [tmp_path / f"client-{number}.jsonl" for number in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as threads:
        rows = zip(apis, episodes, files, range(CLIENTS), strict=True)
        jobs = [threads.submit(work, *row) for row in rows]
        for _ in range(2):
            time.sleep(1)
            web.kill()
            web.start()
        for job in jobs:
            job.result(300)
    history = History.read(files)
    for episode in episodes[:-1]:
        history.note("ok", "continue", episode=episode, version=1)
    assert len(history.lines) == CLIENTS * ACTS + CLIENTS - 1
    check(history)
    for api in apis:
        api.close()
    web.stop()
