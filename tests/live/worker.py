"""One person at work on one episode: acts over HTTP, the socket, the reference beside it."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass, field
from typing import Any

from stet.policies.tokenizer import Tokenizer, load_tokenizer
from tests.history import History
from tests.live.api import Answer, Api, Tab, fresh_key
from tests.live.reference import MODEL, PROMPT, Reference, Token
from tests.scripted.use import small_folder

EOS = 2
Rows = list[list[Any]]


@dataclass
class Worker:
    """``apis`` reach the same site through different web processes; ``tab`` is the open socket."""

    apis: list[Api]
    episode: int
    ref: Reference
    history: History
    tab: Tab
    tokenizer: Tokenizer = field(default_factory=lambda: load_tokenizer(small_folder()))
    path: dict[str, Any] | None = None
    compared: tuple[int, str | None, int] | None = None
    last: tuple[str, dict[str, Any], str, Answer] | None = None

    @classmethod
    def begin(cls, apis: list[Api], task: int, history: History, tab: Tab) -> Worker:
        """A new episode of the task, looked at as it stands."""
        made = apis[0].good(f"/tasks/{task}/episodes")["episode"]
        path = apis[0].path(made["id"])
        assert set(path["origins"]) == {PROMPT}
        prompt = [(token, PROMPT, None) for token in path["token_ids"]]
        ref = Reference(prompt).begun(made["root"])
        return cls(apis, made["id"], ref, history, tab)

    @property
    def rows(self) -> Rows:
        """What the socket has shown of the live generation."""
        return self.tab.rows.get(self.ref.live or "", [])

    def act(self, op: str, route: str, body: dict[str, Any], *, via: int = 0) -> Answer:
        """An act under the version as this person knows it; the answer goes into the history."""
        path, body = f"/episodes/{self.episode}/{route}", {"if_head": self.ref.version, **body}
        key = fresh_key()
        answer = self.apis[via].act(path, body, key=key)
        self.last = (path, body, key, answer)
        if answer.status < 300:
            done = answer.body["episode"]
            made = answer.body.get("correction", {}).get("id")
            self.note("ok", op, key=key, version=done["version"], id=made)
        else:
            assert answer.body["detail"], answer
            self.note("fail", op, key=key, version=body["if_head"])
        return answer

    def note(self, kind: str, op: str, **what: Any) -> None:
        self.history.note(kind, op, episode=self.episode, **what)

    def watch(self, generation: dict[str, Any]) -> None:
        self.tab.watch(generation["id"])

    def stream(self, n: int) -> None:
        """Read until ``n`` more tokens are here or the stream ends, which is then sealed."""
        live = self.ref.live
        assert live is not None
        self.tab.until(live, len(self.rows) + n)
        self.settled(wait=False)

    def settled(self, *, wait: bool = True) -> None:
        """Take the end of the live generation, if there is one."""
        live = self.ref.live
        if live is None or not (wait or live in self.tab.ends):
            return
        end = self.tab.end(live)
        rows = self.tab.rows[live]
        self.note("shown", "tokens", id=live, rows=rows)
        self.path = None
        assert (end["segment"] is not None) == bool(rows), end
        self.ref.seal(rows)

    def reload(self, known: int, via: int) -> None:
        """A fresh tab, through another process perhaps, that has ``known`` ids already."""
        self.compare(fresh=True)
        live, rows = self.ref.live, list(self.rows)
        self.tab.close()
        self.tab = self.apis[via].tab()
        assert self.tab.first == {"type": "ready"}
        if live is not None:
            if rows:
                self.note("shown", "tokens", id=live, rows=rows)
            kept = rows[:known]
            self.tab.watch(live, kept)
            again = self.tab.until(live, len(rows))
            assert again[: len(rows)] == rows

    def look(self, *, fresh: bool = False) -> dict[str, Any]:
        """The path as it is now; what cannot have changed is fetched once."""
        if fresh or self.ref.live or self.path is None or self.path["version"] != self.ref.version:
            self.path = self.apis[0].path(self.episode)
        return self.path

    def place(self, share: float) -> tuple[int, dict[str, Any]] | None:
        """A position of the answer and the piece of the path that holds it."""
        path = self.look()
        free = [at for at, origin in enumerate(path["origins"]) if origin != PROMPT]
        if not free:
            return None
        at = free[int(share * (len(free) - 1))]
        piece = next(p for p in path["pieces"] if p["start"] <= at < p["end"])
        return at, {"segment": piece["segment"], "index": at - piece["start"], "path": path}

    def seen(self, ids: list[int], upto: int) -> dict[str, Any]:
        digest = hashlib.sha256(array("i", ids[:upto]).tobytes()).hexdigest()
        return {"upto": upto, "digest": digest}

    def ahead(self, place: dict[str, Any], token: int, n: int, *, via: int) -> Any:
        """Sample behind a candidate, and read the first ``n``; None where nothing can follow."""
        body = {"segment": place["segment"], "index": place["index"], "candidates": [token]}
        where = f"/episodes/{self.episode}/lookahead"
        answer = self.apis[via].act(where, {**body, "length": 6})
        if answer.status != 202:
            assert answer.code == "same_token", answer
            return None
        for made in answer.body["generations"]:
            self.tab.watch(made["id"])
            shown = list(self.tab.until(made["id"], n))
            self.note("shown", "tokens", id=made["id"], rows=shown)
            return {"generation": made["id"], "ids": [row[0] for row in shown]}
        return None

    def correct(self, at: int, place: dict[str, Any], body: dict[str, Any], *, via: int) -> Answer:
        """Correct, and let the reference do the same when it was accepted."""
        where = {"segment": place["segment"], "index": place["index"]}
        answer = self.act("correct", "corrections", {**where, **body}, via=via)
        self.settled(wait=answer.status < 300)
        if answer.status >= 300:
            return answer
        made = answer.body["correction"]
        position, new = made["position"], made["accepted"]
        assert position == at or ("text" in body["choice"] and at - 3 <= position < at), made
        _, path = self.ref.known[place["segment"]]
        # A cluster is that of the whole segment, also where the head has cut through it.
        rejected = [token for token, _, _ in path[position : position + len(made["rejected"])]]
        assert made["rejected"] == rejected
        after = self.look(fresh=True)
        piece = next(p for p in after["pieces"] if p["segment"] == made["new_segment"])
        scores = after["logprobs"][position:]
        tokens = [(token, piece["origin"], scores[i]) for i, token in enumerate(new)]
        live, taken = answer.body["generation"], answer.body["lookahead"]
        shown = (body.get("lookahead") or {}).get("ids", [])
        assert (taken is not None) == bool(shown)
        more: list[Token] = []
        if taken is not None:
            # All that had arrived is taken, and it begins with what was shown.
            behind = position + 1
            upto = behind + taken["length"]
            rows = zip(after["token_ids"], after["origins"], after["logprobs"], strict=True)
            more = list(rows)[behind:upto]
            assert [token for token, _, _ in more][: len(shown)] == shown
            assert {origin for _, origin, _ in more} == {MODEL}
        self.ref.correct(path, position, [*tokens, *more], made["new_segment"], live)
        if taken is not None:
            picked = [*path[:position], *tokens]
            self.ref.known[made["new_segment"]] = (position, picked)
            self.ref.known[taken["segment"]] = (position + 1, [*picked, *more])
        if live:
            self.watch(live)
        return answer

    def compare(self, *, fresh: bool = False) -> None:
        """What is stored agrees with the reference; while tokens arrive, only a fresh look asks."""
        rows = self.rows
        state = (self.ref.version, self.ref.live)
        if state == self.compared or (self.ref.live and not fresh):
            return
        self.compared = state
        path = self.look(fresh=fresh)
        assert path["version"] == self.ref.version
        want = self.ref.shown(rows)
        got = list(zip(path["token_ids"], path["origins"], path["logprobs"], strict=True))
        if self.ref.live is None:
            assert got == want
        else:
            assert got[: len(want)] == want
        ends = [piece["end"] for piece in path["pieces"]]
        starts = [piece["start"] for piece in path["pieces"]]
        assert starts == [0, *ends[:-1]]
        assert ends[-1] == len(got)

    def finish(self) -> None:
        """Stop what runs, so that nothing is left in the making."""
        if self.ref.live is not None:
            self.apis[0].good(f"/generations/{self.ref.live}/stop")
            self.settled()
        self.compared = None
        self.compare(fresh=True)
