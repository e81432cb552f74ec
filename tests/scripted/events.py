"""The events of one completion as the real server writes them, one token each."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

from tests.scripted.script import VERSION, Part

FINGERPRINT = f"vllm-{VERSION}-scripted"
DONE = b"data: [DONE]\n\n"


def events(
    body: dict[str, Any], parts: list[Part], reason: str, *, created: int
) -> Iterator[bytes]:
    """One event per token, then the usage counts if asked for, then the mark of the end."""
    own = f"cmpl-{uuid.uuid4().hex[:16]}"
    model = json.dumps(body["model"])
    base = (
        f'{{"id":"{own}","object":"text_completion","created":{created},"model":{model},"choices":['
    )
    head = f'data: {base}{{"index":0,"text":'.encode()
    prompt = json.dumps(body["prompt"], separators=(",", ":"))
    middle = f'null,"stop_reason":null,"prompt_token_ids":{prompt}'.encode()
    rest = b'null,"stop_reason":null,"prompt_token_ids":null'
    last = rest.replace(b"null", json.dumps(reason).encode(), 1)
    if len(parts) == 1:
        middle = middle.replace(b"null", json.dumps(reason).encode(), 1)
    offset, final = 0, len(parts) - 1
    for number, part in enumerate(parts):
        state = middle if number == 0 else last if number == final else rest
        yield b"%b%b%d%b%b%b\n\n" % (head, part.before, offset, part.after, state, part.end)
        offset += part.name_length
    if (body.get("stream_options") or {}).get("include_usage"):
        asked, made = len(body["prompt"]), len(parts)
        yield (
            f'data: {base}],"usage":{{"prompt_tokens":{asked},"total_tokens":{asked + made},'
            f'"completion_tokens":{made},"prompt_tokens_details":{{"cached_tokens":0}}}},'
            f'"system_fingerprint":"{FINGERPRINT}"}}\n\n'
        ).encode()
    yield DONE


def error_event(message: str, code: int) -> bytes:
    """A failure that the real server reports inside a stream of status 200."""
    kind = "BadRequestError" if code < 500 else "InternalServerError"
    error = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return f"data: {json.dumps(error)}\n\n".encode()
