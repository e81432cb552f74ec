"""Before this process samples: does the server turn text into the same ids as the tokenizer?"""

from __future__ import annotations

import asyncio
import logging

from django.conf import settings

from stet.common.errors import StetError
from stet.policies.chat import load_chat_template
from stet.policies.probe import check_tokenizer
from stet.policies.tokenizer import load_tokenizer

RETRY = 5.0
log = logging.getLogger(__name__)


class TokenizerGuard:
    """``refusal`` says why no generation may start; None once, and as long as, nothing is wrong."""

    def __init__(self) -> None:
        self.refusal: StetError | None = None

    async def watch(self) -> None:
        """Compare the probes as soon as the server answers; a difference is final."""
        while True:
            try:
                folder = settings.TOKENIZER_DIR
                await check_tokenizer(
                    settings.VLLM_URL,
                    settings.VLLM_MODEL,
                    load_tokenizer(folder),
                    load_chat_template(folder),
                    api_key=settings.VLLM_API_KEY or None,
                )
            except StetError as error:
                if error.code not in {"model_unreachable", "model_slow"}:
                    log.error("the policy is refused: %s", error.detail)
                    self.refusal = error
                    return
                await asyncio.sleep(RETRY)
            else:
                return
