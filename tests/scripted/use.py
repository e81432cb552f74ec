"""The scripted server and a sampler that talks to it, for async tests."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from stet.policies.samplers.base import Finish, Piece
from stet.policies.samplers.vllm import VllmSampler
from stet.policies.sampling import Sampling
from tests.scripted.app import App, Options
from tests.scripted.folder import TAGS, TOOLS, write_folder
from tests.scripted.server import serving

PROMPT = (1, 300, 301, 302)


@cache
def small_folder() -> Path:
    """The small model folder, written once for this process."""
    return write_folder(Path(tempfile.mkdtemp(prefix="scripted-")))


PIECES = (b"\x9f\x98", b"the", b"\n\n", "是".encode(), b"believ", b"able")


@cache
def tool_folder() -> Path:
    """A folder whose template knows tools and whose vocabulary has tags and odd pieces."""
    made = Path(tempfile.mkdtemp(prefix="scripted-"))
    return write_folder(made, template=TOOLS, tags=TAGS, pieces=PIECES)


@asynccontextmanager
async def played(**options: Any) -> AsyncIterator[tuple[App, VllmSampler]]:
    """A fast scripted server and a sampler for it; both are gone afterwards."""
    fast = {"ttft_ms": 1.0, "itl_ms": 0.5, "tokens": 8, **options}
    app = App(small_folder(), Options(**fast))
    async with serving(app) as running:
        sampler = VllmSampler(running.url, fast.get("api_key"))
        try:
            yield app, sampler
        finally:
            await sampler.aclose()


async def read(
    sampler: VllmSampler,
    prompt: Sequence[int] = PROMPT,
    *,
    got: list[Piece] | None = None,
    model: str = "scripted",
    sampling: Sampling | None = None,
    **settings: Any,
) -> tuple[list[Piece], Finish]:
    """A whole stream; ``got`` keeps the pieces of one that fails."""
    pieces: list[Piece] = [] if got is None else got
    end = Finish(None, None, None)
    stream = sampler.stream(prompt, sampling or Sampling(), model=model, **settings)
    async with aclosing(stream) as items:
        async for item in items:
            if isinstance(item, Piece):
                pieces.append(item)
            else:
                end = item
    return pieces, end
