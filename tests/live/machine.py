"""The state machine: everything a person can do to an episode, in any order, also mid-stream."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from stet.traces.models import Generation
from tests.history import History, check
from tests.live.api import Answer, Api, Tab
from tests.live.reference import PROMPT
from tests.live.worker import EOS, Worker

PROMPTS = [
    ("Tell me of the sea.",),
    ("写一句关于雨的话。", "雨下了整夜。", "再写一句。"),
    ("Say <|im_end|> and 👩‍👩‍👧 without harm.",),
]
TEXTS = st.one_of(
    st.sampled_from(
        ["然后", "灯塔。", "😀", "👩‍👩‍👧 ", " then", "<|im_end|>", "\n", "שלום", "é", "\u200d"]
    ),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6
    ),
)
SHARE = st.floats(0, 1)
VIA = st.sampled_from([0, 0, 0, 1])
WORKABLE = {"open", "later"}


def refused(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.code) == (status, code), answer


def only_if(condition: Callable[[Episodes], bool]) -> Callable[[Any], Any]:
    def around(step: Any) -> Any:
        @wraps(step)
        def chosen(self: Episodes, **values: Any) -> None:
            if condition(self):
                step(self, **values)
            else:
                self.otherwise()

        return chosen

    return around


def workable(machine: Episodes) -> bool:
    return machine.ref.status in WORKABLE


def busy(machine: Episodes) -> bool:
    return machine.ref.live is not None


def answered(machine: Episodes) -> bool:
    return machine.ref.path[-1][1] != PROMPT


class Episodes(RuleBasedStateMachine):
    """``apis`` and ``quick`` are set by the test that runs it."""

    apis: ClassVar[list[Api]]
    tab: ClassVar[Tab]
    stack: ClassVar[Any]
    quick: ClassVar[Any]

    worker: Worker

    @initialize(prompt=st.sampled_from(PROMPTS), n=st.integers(0, 12))
    def begin(self, prompt: tuple[str, ...], n: int) -> None:
        self.quick.forget()
        history = History()
        self.worker = Worker.begin(self.apis, self.stack.task(*prompt).pk, history, self.tab)
        self.ref = self.worker.ref
        self.go_on(most=40, via=0)
        self.stream(n=n)

    def otherwise(self) -> None:
        """What is done where a rule does not apply: no draw may depend on timing."""
        if not workable(self):
            self.reopen()
        elif not busy(self) and self.ref.path[-1][0] != EOS:
            self.go_on(most=20, via=0)

    @rule(most=st.integers(2, 40), via=VIA)
    @only_if(workable)
    def go_on(self, most: int, via: int) -> None:
        ended = self.ref.path[-1][0] == EOS and len(self.ref.heads) > 1
        answer = self.worker.act(
            "continue", "continue", {"sampling": {"max_tokens": most}}, via=via
        )
        if busy(self) and answer.status == 202:
            self.worker.settled()
        if busy(self):
            self.worker.settled(wait=answer.code != "running")
            return
        if ended:
            refused(answer, 409, "ended")
            return
        assert answer.status == 202, answer
        generation = answer.body["generation"]
        self.ref.go_on(generation["id"], generation["segment"])
        self.worker.watch(generation)

    @rule(n=st.integers(1, 30))
    @only_if(busy)
    def stream(self, n: int) -> None:
        self.worker.stream(n)

    @rule(via=VIA)
    @only_if(busy)
    def stop(self, via: int) -> None:
        stopped = self.apis[via].good(f"/generations/{self.ref.live}/stop")
        assert stopped["status"] in {"stopped", "done"}
        self.worker.settled()

    @rule(share=SHARE, rank=st.integers(0, 19), via=VIA, onward=st.booleans(), seen=st.booleans())
    @only_if(workable)
    def pick(self, share: float, rank: int, via: int, onward: bool, seen: bool) -> None:
        self.correct(share, rank, via, onward, seen)

    @rule(share=SHARE, text=TEXTS, via=VIA, onward=st.booleans(), seen=st.booleans())
    @only_if(workable)
    def type_text(self, share: float, text: str, via: int, onward: bool, seen: bool) -> None:
        self.correct(share, text, via, onward, seen)

    @rule(share=SHARE, via=VIA)
    @only_if(workable)
    def end_here(self, share: float, via: int) -> None:
        self.correct(share, None, via, True, False)

    @rule(text=TEXTS)
    @only_if(lambda self: workable(self) and self.ref.path[-1][0] == EOS)
    def go_on_past_the_end(self, text: str) -> None:
        self.correct(1.0, text, 0, True, True)

    @rule(share=SHARE, rank=st.integers(0, 5), n=st.integers(0, 6), via=VIA, onward=st.booleans())
    @only_if(workable)
    def pick_after_reading_on(
        self, share: float, rank: int, n: int, via: int, onward: bool
    ) -> None:
        """Look ahead, read ``n`` tokens of it, and take the candidate with them."""
        found = self.worker.place(share)
        token = None if found is None else self.candidate(found[1], rank)
        if found is None or token is None:
            return
        at, place = found
        body: dict[str, Any] = {"continue": onward, "choice": {"candidate": token}}
        shown = self.worker.ahead(place, token, n, via=1 - via)
        if shown is not None:
            body["lookahead"] = shown
        body["seen"] = self.worker.seen(place["path"]["token_ids"], at + 1)
        body["seen"]["lookahead"] = bool(shown and shown["ids"])
        answer = self.worker.correct(at, place, body, via=via)
        if answer.status != 201:
            refused(answer, 422, "same_token")

    def correct(self, share: float, choice: Any, via: int, onward: bool, seen: bool) -> None:
        found = self.worker.place(share)
        if found is None:
            return
        at, place = found
        body: dict[str, Any] = {"continue": onward, "choice": {"end": True}}
        if isinstance(choice, str):
            body["choice"] = {"text": choice}
        elif choice is not None:
            token = self.candidate(place, choice)
            if token is None:
                return
            body["choice"] = {"candidate": token}
        if seen:
            body["active_ms"] = 1200
            body["seen"] = self.worker.seen(place["path"]["token_ids"], at + 1)
        answer = self.worker.correct(at, place, body, via=via)
        if answer.status != 201:
            refused(answer, 422, "same_token")

    def candidate(self, place: dict[str, Any], rank: int) -> int | None:
        index = place["index"]
        query = f"/segments/{place['segment']}/candidates?from={index}&to={index + 1}"
        answer = self.apis[0].get(query)
        assert answer.status == 200, answer
        rows = answer.body["rows"]
        return rows[0]["candidates"][rank][0] if rows else None

    @rule(what=st.sampled_from(["candidate", "index", "seen", "segment"]))
    @only_if(workable)
    def wrong(self, what: str) -> None:
        found = self.worker.place(1.0)
        if found is None:
            return
        at, place = found
        where = {"segment": place["segment"], "index": place["index"]}
        body: dict[str, Any] = {**where, "choice": {"text": "x"}}
        if what == "candidate":
            body["choice"] = {"candidate": 5_000_000}
        elif what == "index":
            body["index"] = 1_000_000
        elif what == "segment":
            body["segment"] = "00000000-0000-0000-0000-000000000001"
        else:
            body["seen"] = {"upto": at, "digest": "0" * 64}
        answer = self.worker.act("correct", "corrections", body)
        assert answer.status in {404, 412, 422}, answer
        self.worker.settled()

    @rule(via=VIA)
    @only_if(lambda self: workable(self) and self.ref.at > 0)
    def undo(self, via: int) -> None:
        self.walk("undo", -1, via)

    @rule(via=VIA)
    @only_if(lambda self: workable(self) and self.ref.at + 1 < len(self.ref.heads))
    def redo(self, via: int) -> None:
        self.walk("redo", +1, via)

    def walk(self, how: str, by: int, via: int) -> None:
        target = self.apis[via].tree(self.worker.episode)[how]
        answer = self.worker.act(how, "head", {**target, "how": how}, via=via)
        assert answer.status == 200, answer
        self.worker.settled()
        self.ref.step(by)

    @rule(which=SHARE, share=SHARE)
    @only_if(workable)
    def move(self, which: float, share: float) -> None:
        known = sorted(self.ref.known.items())
        segment, (start, path) = known[int(which * (len(known) - 1))]
        if self.ref.growing and self.ref.growing[1] is path:
            return
        length = max(1, int(share * (len(path) - start)))
        answer = self.worker.act("move", "head", {"segment": segment, "length": length})
        assert answer.status == 200, answer
        self.worker.settled()
        self.ref.move(path[: start + length])

    @rule(share=SHARE, via=VIA)
    def reload(self, share: float, via: int) -> None:
        self.worker.reload(int(share * len(self.worker.rows)), via)
        self.__class__.tab = self.worker.tab

    @rule(route=st.sampled_from(["continue", "submit", "later", "head", "corrections", "turns"]))
    def second_tab(self, route: str) -> None:
        old = {"if_head": self.ref.version - 1}
        first = next(iter(self.ref.known))
        more: dict[str, Any] = {
            "head": {"segment": first, "length": 1},
            "corrections": {"segment": first, "index": 0, "choice": {"end": True}},
            "turns": {"messages": [{"role": "user", "content": "More?"}]},
        }.get(route, {})
        answer = self.worker.act("stale", route, {**more, **old})
        refused(answer, 412, "stale_head")
        assert answer.body["current"]["version"] == self.ref.version

    @rule(via=VIA)
    def replay(self, via: int) -> None:
        path, body, key, first = self.worker.last or ("", {}, "", None)
        assert first is not None
        if first.status >= 300:
            return
        again = self.apis[via].act(path, body, key=key)
        assert (again.status, again.body) == (first.status, first.body)
        assert again.headers["idempotent-replay"] == "1"
        other = self.apis[via].act(path, {**body, "if_head": body["if_head"] + 1000}, key=key)
        refused(other, 422, "idempotency_key_reused")

    @rule(how=st.sampled_from(["later", "skip", "flag"]))
    @only_if(workable)
    def set_aside(self, how: str) -> None:
        body = {} if how == "later" else {"reason": "unclear"}
        answer = self.worker.act(how, how, body)
        assert answer.status == 200, answer
        self.worker.settled()
        self.ref.act({"later": "later", "skip": "skipped", "flag": "flagged"}[how])

    @rule()
    @only_if(lambda self: self.ref.status != "open")
    def reopen(self) -> None:
        if not workable(self):
            refused(self.worker.act("continue", "continue", {}), 409, "not_open")
        answer = self.worker.act("reopen", "reopen", {})
        assert answer.status == 200, answer
        self.ref.act("open")

    @rule(words=st.sampled_from(["And then?", "继续。", "<|im_start|>system\n"]))
    @only_if(lambda self: workable(self) and answered(self))
    def turn(self, words: str) -> None:
        message = {"role": "user", "content": words}
        answer = self.worker.act("turn", "turns", {"messages": [message]})
        self.worker.settled()
        if answer.status != 201:
            refused(answer, 422, "no_answer")
            return
        path = self.worker.look(fresh=True)
        old = len(self.ref.path)
        assert path["token_ids"][:old] == [token for token, _, _ in self.ref.path]
        new = [(token, 0, None) for token in path["token_ids"][old:]]
        self.ref.known[path["segment"]] = (old, [*self.ref.path, *new])
        self.ref.move([*self.ref.path, *new])

    @rule()
    @only_if(lambda self: workable(self) and answered(self))
    def submit(self) -> None:
        answer = self.worker.act("submit", "submit", {})
        if answer.status == 200:
            self.worker.settled()
            self.ref.act("accepted")
            return
        assert answer.code in {"running", "nothing_to_submit"}, answer
        self.worker.settled(wait=answer.code != "running")

    @invariant()
    def as_the_reference_says(self) -> None:
        if worker := getattr(self, "worker", None):
            worker.compare()

    def teardown(self) -> None:
        if getattr(self, "worker", None) is None:
            return
        self.worker.finish()
        left = Generation.objects.filter(episode=self.worker.episode, ended_at=None)
        limit = time.monotonic() + 20
        while left.exists() and time.monotonic() < limit:
            time.sleep(0.02)
        check(self.worker.history, prompts=self.quick.prompts())
