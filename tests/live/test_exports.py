"""What was done over the machine interface comes out of every export target, and is the same."""

from __future__ import annotations

import json
from typing import Any

from stet.common.jobs import job_run
from stet.stack.parts import Web
from tests.live.api import Api
from tests.live.stack import Stack

TARGETS = ("sft", "dpo", "rollouts", "token-corrections", "panda")


def worked_on(api: Api, task: int) -> dict[str, Any]:
    """Sample, pick, type, add a turn, sample, end it early, submit; the path as it was left."""
    episode = api.good(f"/tasks/{task}/episodes")["episode"]["id"]
    tab = api.tab()

    def version() -> int:
        return int(api.tree(episode)["version"])

    def go_on(told: Any) -> str:
        generation = told["generation"]["id"]
        tab.watch(generation)
        tab.end(generation)
        return str(told["generation"]["segment"])

    def correct(segment: str, index: int, choice: dict[str, Any]) -> Any:
        body = {"if_head": version(), "segment": segment, "index": index, "choice": choice}
        return api.good(f"/episodes/{episode}/corrections", {**body, "reason": "wrong"})

    segment = go_on(api.good(f"/episodes/{episode}/continue", {"if_head": version()}))
    row = api.get(f"/segments/{segment}/candidates?from=1&to=2").body["rows"][0]
    special = {int(i) for i in api.tree(episode)["policy"]["special"]}
    other = next(
        one[0]
        for one in row["candidates"]
        if one[0] != row["sampled"]["id"] and one[0] not in special
    )
    segment = go_on(correct(segment, 1, {"candidate": other}))
    go_on(correct(segment, 2, {"text": "海，大海"}))
    turn = {"if_head": version(), "messages": [{"role": "user", "content": "And the sky?"}]}
    api.good(f"/episodes/{episode}/turns", turn)
    segment = go_on(api.good(f"/episodes/{episode}/continue", {"if_head": version()}))
    correct(segment, 3, {"end": True})
    path = api.path(episode)
    api.good(f"/episodes/{episode}/submit", {"if_head": version()})
    tab.close()
    return {"episode": episode, **path}


def test_every_target_tells_what_was_done(stack: Stack, web: Web, settings: Any) -> None:
    settings.DATA_DIR = web.env["STET_DATA_DIR"]
    api = stack.api(web)
    task = stack.task("Tell me of the sea.")
    path = worked_on(api, task.pk)
    body = {"project": task.project_id, "name": "one", "query": {"tasks": [task.external_id]}}
    dataset = api.call("POST", "/datasets", body).body["id"]
    rows: dict[str, list[dict[str, Any]]] = {}
    for target in TARGETS:
        made = api.call("POST", f"/datasets/{dataset}/exports", {"target": target})
        assert made.status == 202, made
        job_run(made.body["job"])
        export = api.get(f"/exports/{made.body['export']['id']}").body
        assert (export["status"], export["note"]) == ("done", ""), export
        url = export["files"][0]["url"].removeprefix("/api/v1")
        status, data, _headers = api.raw("GET", url)
        assert status == 200
        rows[target] = [json.loads(line) for line in data.splitlines()]
    ids, origins = path["token_ids"], path["origins"]
    (sft,) = rows["sft"]
    assert sft["input_ids"] == ids
    assert sft["origins"] == origins
    trained = [i if origin in (1, 2, 3) else -100 for i, origin in zip(ids, origins, strict=True)]
    assert sft["labels"] == trained
    assert [row["how"] for row in rows["token-corrections"]] == ["pick", "type", "end_here"]
    assert {row["reason"] for row in rows["token-corrections"]} == {"wrong"}
    assert rows["token-corrections"][0]["rank"] is not None
    assert len(rows["dpo"]) == 3
    for row in rows["dpo"]:
        assert ids[: len(row["prompt_ids"] + row["chosen_ids"])] == (
            row["prompt_ids"] + row["chosen_ids"]
        )
    (rollout,) = rows["rollouts"]
    begin = len(rollout["prompt_token_ids"])
    assert rollout["prompt_token_ids"] + rollout["completion_token_ids"] == ids
    assert rollout["origin"] == origins[begin:]
    shown = [None if one is None else round(one, 6) for one in rollout["completion_logprobs"]]
    assert shown == path["logprobs"][begin:]
    assert rollout["finish_reason"] == "person"
    (document,) = rows["panda"]
    good = [one for one in document["dialogs"].values() if one["annotate"]["is_good"]]
    assert good[-1]["messages"][-1]["content"] == sft["messages"][-1]["content"]
    api.close()
