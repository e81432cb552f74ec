"""What the real server's events look like once their varying parts are made equal."""

from __future__ import annotations

import re

# Events of vLLM 0.32 with one candidate; every number is written as 0.
REAL_FIRST = (
    'data: {"id":"cmpl-0","object":"text_completion","created":0,"model":"m","choices":[{"index":0,'
    '"text":"T","logprobs":{"text_offset":[0],"token_logprobs":[0],"tokens":["token_id:0"],'
    '"top_logprobs":[{"token_id:0":0}]},"finish_reason":null,"stop_reason":null,'
    '"prompt_token_ids":[0],"token_ids":[0]}]}\n\n'
)
REAL_NEXT = REAL_FIRST.replace('"prompt_token_ids":[0]', '"prompt_token_ids":null')
REAL_LAST = REAL_NEXT.replace('"finish_reason":null', '"finish_reason":"stop"')
REAL_COUNTS = (
    'data: {"id":"cmpl-0","object":"text_completion","created":0,"model":"m","choices":[],"usage":'
    '{"prompt_tokens":0,"total_tokens":0,"completion_tokens":0,"prompt_tokens_details":'
    '{"cached_tokens":0}},"system_fingerprint":"vllm-0"}\n\n'
)


def shape(event: bytes) -> str:
    """The event with its varying parts made equal and its lists cut to one entry."""
    text = re.sub(r'"text":"(\\.|[^"\\])*"', '"text":"T"', event.decode())
    text = re.sub(r"cmpl-[0-9a-f]{16}", "cmpl-0", text)
    text = re.sub(r"vllm-[^\"]+", "vllm-0", text)
    text = re.sub(r"(?<![\w-])-?\d+(\.\d+)?(e-?\d+)?(?![\w-])", "0", text)
    text = re.sub(r'("token_id:0":0)(,"token_id:0":0)+', r"\1", text)
    return re.sub(r"\[0(,0)+\]", "[0]", text)
