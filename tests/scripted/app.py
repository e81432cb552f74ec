"""The routes of the scripted server and what it remembers."""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stet.common.errors import StetError
from stet.policies.chat import ChatTemplate
from tests.scripted.events import DONE, error_event, events
from tests.scripted.faults import MODES, Fault
from tests.scripted.http import Connection
from tests.scripted.player import Player
from tests.scripted.script import VERSION, Script

MAX_LEN = 32768


@dataclass
class Options:
    """Times in milliseconds; ``tokens`` is the length of an answer, 0 for 40 to 300 by prompt."""

    model: str = "scripted"
    ttft_ms: float = 10.0
    itl_ms: float = 20.0
    tokens: int = 0
    seed: int = 1
    api_key: str | None = None
    logprobs_mode: str = "processed_logprobs"


@dataclass
class App:
    """Answers requests; ``fault`` holds for the requests that come next."""

    folder: Path
    options: Options
    fault: Fault = field(default_factory=Fault)
    requests: deque[tuple[str, bytes]] = field(default_factory=lambda: deque(maxlen=5000))
    adapters: dict[str, str] = field(default_factory=dict)
    running: int = 0
    said: deque[list[int]] = field(default_factory=deque)
    waiting: int = 0

    def __post_init__(self) -> None:
        self.script = Script(self.folder, seed=self.options.seed, tokens=self.options.tokens)
        self._chat = ChatTemplate.load(self.folder, self.script.tokenizer)

    def route(self, connection: Connection, method: str, path: str, body: bytes) -> None:
        """Answer one request."""
        key = self.options.api_key
        if key and path.startswith("/v1") and not self._admits(connection, key):
            connection.answer(b'{"error":"Unauthorized"}', status=401)
            return
        handler = {
            ("POST", "/v1/completions"): self._completion,
            ("POST", "/tokenize"): self._tokenize,
            ("POST", "/v1/load_lora_adapter"): self._load,
            ("POST", "/_mode"): self._mode,
            ("POST", "/_say"): self._say,
            ("POST", "/_waiting"): self._wait,
            ("GET", "/_requests"): self._recorded,
            ("DELETE", "/_requests"): self._forget,
            ("GET", "/v1/models"): self._models,
            ("GET", "/health"): lambda c, _: c.answer(b""),
            ("GET", "/version"): lambda c, _: c.answer(_json({"version": VERSION})),
            ("GET", "/metrics"): self._metrics,
        }.get((method, path))
        if handler is None:
            connection.answer(b'{"detail":"Not Found"}', status=404)
            return
        if method == "POST" and not path.startswith("/_"):
            self.requests.append((path, body))
        try:
            handler(connection, body)
        except (ValueError, KeyError, TypeError) as error:
            _error(connection, 400, f"1 validation error: {error}")

    def set_mode(self, mode: str, **settings: Any) -> None:
        """Have the next requests fail in this way; "ok" ends it."""
        if mode not in MODES:
            raise ValueError(f"{mode} is none of {sorted(MODES)}")
        self.fault = Fault(mode, **settings)

    def bodies(self, path: str = "/v1/completions") -> list[dict[str, Any]]:
        """The bodies that came to ``path``, oldest first."""
        return [json.loads(body) for where, body in self.requests if where == path]

    def _admits(self, connection: Connection, key: str) -> bool:
        return connection.headers.get("authorization") == f"Bearer {key}"

    def _completion(self, connection: Connection, raw: bytes) -> None:
        body: dict[str, Any] = json.loads(raw)
        fault = self._take_fault()
        if body["model"] not in (self.options.model, *self.adapters):
            _error(connection, 404, f"The model `{body['model']}` does not exist.")
        elif fault.mode.isdigit():
            _error(connection, int(fault.mode), "The scripted server was told to fail")
        elif not 0 <= body["temperature"] <= 2:
            _error(connection, 400, f"temperature must be in [0, 2], got {body['temperature']}.")
        elif reason := self._late_reason(body):
            connection.begin()
            connection.chunk(error_event(reason, 400) + DONE)
            connection.chunk(b"")
        else:
            self._play(connection, body, fault)

    def _play(self, connection: Connection, body: dict[str, Any], fault: Fault) -> None:
        cut = self.options.logprobs_mode.startswith("processed")
        if self.said:
            parts, reason = self.script.say(self.said.popleft(), body)
        else:
            parts, reason = self.script.play(body, cut=cut)
        steps = events(body, parts, reason, created=int(time.time()))
        ttft = fault.seconds if fault.mode == "slow_first" else self.options.ttft_ms / 1000
        self.running += 1
        Player(
            connection,
            iter(steps) if fault.mode == "ok" else fault.applied(steps, self.script.vocab_size),
            ttft=ttft,
            itl=self.options.itl_ms / 1000,
            ended=self._ended,
        )

    def _ended(self) -> None:
        self.running -= 1

    def _take_fault(self) -> Fault:
        fault = self.fault
        if fault.times is not None:
            left = fault.times - 1
            self.fault = replace(fault, times=left) if left > 0 else Fault()
        return fault

    def _late_reason(self, body: dict[str, Any]) -> str:
        if body["logprobs"] > 20:
            return f"Requested sample logprobs of {body['logprobs']}, which is greater than 20"
        wrong = [token_id for token_id in body["prompt"] if token_id >= self.script.vocab_size]
        return f"Token id {wrong[0]} is out of vocabulary" if wrong else ""

    def _tokenize(self, connection: Connection, raw: bytes) -> None:
        body = json.loads(raw)
        try:
            if "messages" in body:
                ids = self._chat.render(body["messages"]).ids
            else:
                ids = self.script.tokenizer.encode(body["prompt"])
        except StetError as error:
            _error(connection, 400, error.detail)
            return
        answer = {"count": len(ids), "max_model_len": MAX_LEN, "tokens": ids, "token_strs": None}
        connection.answer(_json(answer))

    def _load(self, connection: Connection, raw: bytes) -> None:
        body = json.loads(raw)
        name, path = body["lora_name"], body["lora_path"]
        if name in self.adapters:
            _error(connection, 400, f"The lora adapter '{name}' has already been loaded.")
        elif not Path(path).is_dir():
            _error(connection, 404, f"Loading lora {name} failed: No adapter found for {path}")
        else:
            self.adapters[name] = path
            text = f"Success: LoRA adapter '{name}' added successfully."
            connection.answer(text.encode(), kind="text/plain")

    def _models(self, connection: Connection, raw: bytes) -> None:
        base = self.options.model
        rows = [{"id": base, "root": str(self.folder), "parent": None, "max_model_len": MAX_LEN}]
        rows += [
            {"id": name, "root": path, "parent": base, "max_model_len": None}
            for name, path in self.adapters.items()
        ]
        connection.answer(_json({"object": "list", "data": rows}))

    def _metrics(self, connection: Connection, raw: bytes) -> None:
        labels = f'{{engine="0",model_name="{self.options.model}"}}'
        text = (
            f"vllm:num_requests_running{labels} {float(self.running)}\n"
            f"vllm:num_requests_waiting{labels} {float(self.waiting)}\n"
        )
        connection.answer(text.encode(), kind="text/plain")

    def _mode(self, connection: Connection, raw: bytes) -> None:
        self.set_mode(**json.loads(raw))
        connection.answer(b"{}")

    def _say(self, connection: Connection, raw: bytes) -> None:
        self.said.append(json.loads(raw)["ids"])
        connection.answer(b"{}")

    def _wait(self, connection: Connection, raw: bytes) -> None:
        self.waiting = int(json.loads(raw))
        connection.answer(b"{}")

    def _recorded(self, connection: Connection, raw: bytes) -> None:
        rows = [{"path": path, "body": json.loads(body)} for path, body in self.requests]
        connection.answer(_json(rows))

    def _forget(self, connection: Connection, raw: bytes) -> None:
        self.requests.clear()
        self.said.clear()
        connection.answer(b"{}")


def _error(connection: Connection, status: int, message: str) -> None:
    error = {"message": message, "type": "BadRequestError", "param": None, "code": status}
    connection.answer(_json({"error": error}), status=status)


def _json(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()
