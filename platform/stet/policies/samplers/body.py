"""The request that goes to a model server: an allow-list, nothing else can get in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from stet.policies.samplers.base import CANDIDATES
from stet.policies.sampling import Sampling

_SALT = re.compile(r"[A-Za-z0-9]{16,64}")


def completion_body(
    prompt_ids: Sequence[int],
    sampling: Sampling,
    *,
    model: str,
    priority: int = 0,
    cache_salt: str | None = None,
) -> dict[str, Any]:
    """The body of /v1/completions for a stream of ids with candidates.

    ``seed`` and ``cache_salt`` are left out when they are None. Raises ValueError for a salt that
    is not 16 to 64 letters and digits, and for an empty prompt.
    """
    if not prompt_ids:
        raise ValueError("a prompt holds at least one id")
    body: dict[str, Any] = {
        "model": model,
        "prompt": list(prompt_ids),
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repetition_penalty": sampling.repetition_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "presence_penalty": sampling.presence_penalty,
        "logprobs": CANDIDATES,
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
        "skip_special_tokens": False,
        "add_special_tokens": False,
        "priority": priority,
    }
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if cache_salt is not None:
        if not _SALT.fullmatch(cache_salt):
            raise ValueError("a cache salt is 16 to 64 letters and digits")
        body["cache_salt"] = cache_salt
    return body
