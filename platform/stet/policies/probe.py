"""Does a model server turn text into the same ids as the tokenizer folder does?"""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from django.utils.translation import gettext as _

from stet.common.errors import StetError
from stet.policies.chat import ChatTemplate
from stet.policies.tokenizer import Tokenizer

Probe = str | list[dict[str, Any]]

PROBES: tuple[Probe, ...] = (
    "The quick brown fox jumps over the lazy dog.",
    " leading and trailing  spaces   ",
    "tab\tnewline\n\n\ncarriage return\r\nend",
    "3.14159 + 2,718,281 = 0x1F; year 2026",
    "naïve café, Straße, Ελληνικά, Кириллица",
    "中文字符与标点，混合 English。",
    "日本語のテキスト 한국어 텍스트",
    "שלום עולם مرحبا بالعالم",
    "😀👩‍👩‍👧‍👦🏳️‍🌈 🇩🇪",
    "e\u0301 \u200b\u200d\ufeff\u00a0\u3000 \x00\x7f",
    "def f(x):\n    return {'a': [x ** 2, None]}  # done\n",
    "<b>not special</b> [INST] ### </s",
    "https://example.org/a_b?c=%20d#e",
    "aaaaaaaaaaaaaaaaaaaaaaaa!!!!!!!!!!------",
    [{"role": "user", "content": "What is 2 + 2?"}],
    [{"role": "user", "content": "  spaces and lines\n\n"}],
    [{"role": "user", "content": "你好 👋\n再见"}],
    [{"role": "system", "content": "Answer briefly."}, {"role": "user", "content": "Why?"}],
    [
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "Two"},
        {"role": "user", "content": "Three"},
    ],
    [
        {"role": "system", "content": "Be kind.\n"},
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c "},
        {"role": "user", "content": "d"},
    ],
)


async def check_tokenizer(
    url: str,
    model: str,
    tokenizer: Tokenizer,
    chat: ChatTemplate | None,
    *,
    api_key: str | None = None,
    timeout_s: float = 60.0,
) -> None:
    """Compare every probe with the server's /tokenize; without a template only the strings.

    StetError: `tokenizer_mismatch` names the first probe that differs, `model_unreachable` and
    `model_slow` say that nothing was compared.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    timeout = aiohttp.ClientTimeout(total=timeout_s)
    try:
        async with aiohttp.ClientSession(
            headers=headers, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
        ) as session:
            for number, probe in enumerate(PROBES, start=1):
                if isinstance(probe, str) or chat is not None:
                    theirs, reason = await _theirs(session, url, model, probe)
                    _compare(number, probe, _ours(tokenizer, chat, probe), theirs, reason)
    except TimeoutError as error:
        raise StetError(
            _("The model server took more than %(seconds)d s to tokenize the probes.")
            % {"seconds": timeout_s},
            code="model_slow",
            status=504,
        ) from error
    except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as error:
        raise StetError(
            _("The model server does not answer: %(fault)s") % {"fault": error},
            code="model_unreachable",
            status=503,
        ) from error


async def _theirs(
    session: aiohttp.ClientSession, url: str, model: str, probe: Probe
) -> tuple[list[int] | None, str]:
    """The server's ids, or None and its reason."""
    asked: dict[str, Any] = {"model": model, "add_special_tokens": False}
    asked["prompt" if isinstance(probe, str) else "messages"] = probe
    async with session.post(f"{url.rstrip('/')}/tokenize", json=asked) as response:
        text = await response.text(errors="replace")
        if response.status >= 500:
            raise aiohttp.ClientError(f"status {response.status}, {text[:200]}")
        if response.status != 200:
            return None, f"status {response.status}, {text[:200]}"
        try:
            tokens = (await response.json(content_type=None))["tokens"]
        except (ValueError, KeyError, TypeError):
            return None, _("its answer holds no tokens")
    return list(tokens), ""


def _ours(tokenizer: Tokenizer, chat: ChatTemplate | None, probe: Probe) -> list[int] | None:
    """Our ids, or None where the template refuses the messages; the server should, too."""
    if isinstance(probe, str) or chat is None:
        return tokenizer.encode_pieces([str(probe)])[0]
    try:
        return chat.render(probe).ids
    except StetError as error:
        if error.code != "template_refused":
            raise
        return None


def _compare(
    number: int, probe: Probe, ours: list[int] | None, theirs: list[int] | None, reason: str
) -> None:
    if ours == theirs and not (theirs is None and isinstance(probe, str)):
        return
    if theirs is None:
        why = _("the server refuses it (%(reason)s)") % {"reason": reason}
    elif ours is None:
        why = _("the chat template here refuses it")
    else:
        pairs = enumerate(zip(ours, theirs, strict=False))
        at = next((n for n, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
        why = _("%(ours)d ids here, %(theirs)d there, first difference at %(at)d") % {
            "ours": len(ours),
            "theirs": len(theirs),
            "at": at,
        }
    raise StetError(
        _(
            "The server and the tokenizer folder differ on probe %(number)d, %(probe)r: %(why)s. "
            "Point TOKENIZER_DIR to the folder that the server serves."
        )
        % {"number": number, "probe": probe, "why": why},
        code="tokenizer_mismatch",
        status=422,
        probe=number,
        ours=ours,
        theirs=theirs,
    )
