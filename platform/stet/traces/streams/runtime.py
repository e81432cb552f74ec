"""The hub of this process: made once, begun and ended with the ASGI lifespan."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from stet.policies.samplers.vllm import VllmSampler
from stet.traces.streams.hub import Hub


@cache
def hub() -> Hub:
    return Hub(VllmSampler(settings.VLLM_URL, settings.VLLM_API_KEY or None))
