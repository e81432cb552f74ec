"""vLLM's HTTP interface: streams of ids with candidates, rendering, adapters and health."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

import aiohttp

from stet.policies.samplers.base import (
    Finish,
    ModelBroken,
    ModelLost,
    ModelRefused,
    ModelSlow,
    Piece,
    SamplerError,
)
from stet.policies.samplers.body import completion_body
from stet.policies.samplers.chunks import INF, ChunkReader
from stet.policies.samplers.http import ModelHttp, close_session
from stet.policies.samplers.sse import EventLines
from stet.policies.sampling import Sampling

# What may still come after the last token: the usage counts and the mark of the end.
TAIL_S = 5.0
HEALTH_S = 5.0
_WAITING = re.compile(rb"^vllm:num_requests_waiting(?:{[^}]*})? ([0-9.e+]+)$", re.M)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A name that the server answers to; an adapter names its base as ``parent``."""

    name: str
    root: str | None
    parent: str | None
    max_len: int | None


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a server says about itself; ``logprobs_mode`` only when it was asked for."""

    ready: bool
    version: str | None = None
    models: tuple[ServedModel, ...] = ()
    logprobs_mode: str | None = None


class VllmSampler:
    """One vLLM server. All samplers of an event loop share one HTTP session."""

    def __init__(self, url: str, api_key: str | None = None) -> None:
        self._http = ModelHttp(url, api_key)

    async def stream(
        self,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        *,
        model: str,
        priority: int = 0,
        cache_salt: str | None = None,
        first_timeout: float = 120.0,
        gap_timeout: float = 60.0,
        vocab_size: int | None = None,
    ) -> AsyncGenerator[Piece | Finish, None]:
        """See Sampler.stream; a consumer that may stop early wraps it in contextlib.aclosing."""
        body = completion_body(
            prompt_ids, sampling, model=model, priority=priority, cache_salt=cache_salt
        )
        reader = ChunkReader(prompt_ids, max_tokens=sampling.max_tokens, vocab_size=vocab_size)
        lines = EventLines()
        response = await self._http.open("POST", "/v1/completions", body, timeout_s=first_timeout)
        del body  # As a list the ids take ten times their size, for as long as the stream lasts.
        deadline = Deadline(response, first_timeout)
        try:
            if response.content_type != "text/event-stream":
                raise ModelBroken
            while not reader.done:
                data = await _read(response, deadline, reader.finish_reason is not None)
                if not data:
                    break
                for payload in lines.feed(data):
                    piece = reader.read(payload)
                    if piece is not None:
                        yield piece
                if reader.count:
                    left = TAIL_S if reader.finish_reason is not None else gap_timeout
                    deadline.move(left)
            if reader.done:
                await _drain(response)
            yield reader.finish()
        finally:
            deadline.end()
            response.close()

    async def waiting(self) -> int:
        """See Sampler.waiting: the sum of its gauge over all engines."""
        text = await self._http.fetch("GET", "/metrics", timeout_s=HEALTH_S)
        return int(sum(float(value) for value in _WAITING.findall(text)))

    async def tokenize(self, text: str | list[dict[str, Any]], *, model: str) -> list[int]:
        """Ids of a string as it stands, or of messages rendered up to the generation prompt."""
        body: dict[str, Any] = {"model": model, "add_special_tokens": False}
        body["prompt" if isinstance(text, str) else "messages"] = text
        answer = await self._http.json("POST", "/tokenize", body)
        ids = answer.get("tokens") if isinstance(answer, dict) else None
        if not isinstance(ids, list) or not all(type(token_id) is int for token_id in ids):
            raise ModelBroken
        return ids

    async def load_adapter(self, name: str, path: str) -> None:
        """Serve the adapter folder ``path`` of the server's machine as model ``name``.

        A second call with the same name and path changes nothing; another path is refused.
        """
        if not _NAME.fullmatch(name):
            raise ValueError("an adapter's name is made of letters, digits, dot, dash, underscore")
        body = {"lora_name": name, "lora_path": path}
        try:
            await self._http.fetch("POST", "/v1/load_lora_adapter", body)
        except ModelRefused:
            if not any(m.name == name and m.root == path for m in await self.models()):
                raise

    async def models(self, *, timeout_s: float = 60.0) -> list[ServedModel]:
        """The base model and every adapter that is loaded."""
        answer = await self._http.json("GET", "/v1/models", timeout_s=timeout_s)
        try:
            return [
                ServedModel(row["id"], row.get("root"), row.get("parent"), row.get("max_model_len"))
                for row in answer["data"]
            ]
        except (AttributeError, LookupError, TypeError) as error:
            raise ModelBroken from error

    async def health(self, *, probe: str | None = None) -> ServerState:
        """The server's state; a server that does not answer is not ready, never an error.

        ``probe`` names a model of which one token is drawn to learn the mode of its numbers.
        """
        try:
            await self._http.fetch("GET", "/health", timeout_s=HEALTH_S)
            version = await self._http.json("GET", "/version", timeout_s=HEALTH_S)
            models = tuple(await self.models(timeout_s=HEALTH_S))
            mode = None if probe is None else await self.logprobs_mode(probe)
        except SamplerError:
            return ServerState(ready=False)
        known = version.get("version") if isinstance(version, dict) else None
        return ServerState(True, str(known) if known else None, models, mode)

    async def logprobs_mode(self, model: str) -> str | None:
        """``processed_logprobs`` if the numbers show what top-k cuts, else ``raw_logprobs``."""
        one = Sampling(top_k=1, max_tokens=1)
        async with aclosing(self.stream([0], one, model=model, first_timeout=30.0)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Piece):
                    cut = piece.candidate_logprobs[1] == -INF
                    return "processed_logprobs" if cut else "raw_logprobs"
        return None

    async def aclose(self) -> None:
        """Close the running loop's session: for the end of the process, it cuts all streams."""
        await close_session()


class Deadline:
    """Closes a response that is silent for too long. To move it costs no timer."""

    def __init__(self, response: aiohttp.ClientResponse, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._response = response
        self.over = False
        self._at = self._loop.time() + seconds
        self._timer = self._loop.call_at(self._at, self._check)

    def move(self, seconds: float) -> None:
        self._at = self._loop.time() + seconds
        if self._at < self._timer.when():
            self._timer.cancel()
            self._timer = self._loop.call_at(self._at, self._check)

    def end(self) -> None:
        self._timer.cancel()

    def _check(self) -> None:
        if self._loop.time() < self._at:
            self._timer = self._loop.call_at(self._at, self._check)
            return
        self.over = True
        self._response.close()


async def _read(response: aiohttp.ClientResponse, deadline: Deadline, ended: bool) -> bytes:
    """The next bytes, empty at the end; once the last token is there, a cut is an end too."""
    try:
        data = await response.content.readany()
    except (aiohttp.ClientError, OSError) as error:
        if ended:
            return b""
        raise (ModelSlow if deadline.over else ModelLost) from error
    if not data and deadline.over and not ended:
        raise ModelSlow
    return data


async def _drain(response: aiohttp.ClientResponse) -> None:
    """Read to the end of the body, so that the connection serves the next request."""
    with suppress(TimeoutError, aiohttp.ClientError, OSError):
        async with asyncio.timeout(0.1):
            await response.content.readany()
