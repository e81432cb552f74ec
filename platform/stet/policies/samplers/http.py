"""The one way out to model servers: a session for each event loop, no cookies, no redirects."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import aiohttp
import orjson
from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.policies.samplers.base import ModelBroken, ModelRefused, ModelSlow, ModelUnreachable
from stet.policies.samplers.reasons import refusal

CONNECT_S = 10.0
# Servers drop an idle connection after 5 s; one taken up at that moment would fail.
KEEPALIVE_S = 3.0
LARGEST_ANSWER = 16 * 2**20
_BUSY = {429, 502, 503, 504}

_sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = WeakKeyDictionary()


def session() -> aiohttp.ClientSession:
    """The session of the running loop, made on first use."""
    loop = asyncio.get_running_loop()
    found = _sessions.get(loop)
    if found is None or found.closed:
        found = _sessions[loop] = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPALIVE_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            headers={"Accept-Encoding": "identity"},
            auto_decompress=False,
        )
    return found


async def close_session() -> None:
    """Close the running loop's session and with it every stream that still uses it."""
    found = _sessions.pop(asyncio.get_running_loop(), None)
    if found is not None:
        await found.close()


def checked_url(url: str) -> str:
    """``url`` without a closing slash or /v1; raises Invalid ``bad_url`` for anything but http."""
    parts = urlsplit(url)
    odd = parts.username or parts.password or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or odd:
        raise Invalid(_("This is not the address of a model server."), code="bad_url")
    return url.rstrip("/").removesuffix("/v1").rstrip("/")


class ModelHttp:
    """Requests to one model server; whatever goes wrong comes out as a SamplerError."""

    def __init__(self, url: str, api_key: str | None = None) -> None:
        self.url = checked_url(url)
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"

    async def open(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, timeout_s: float
    ) -> aiohttp.ClientResponse:
        """A response of status 200 whose body is still to be read, after at most ``timeout_s``."""
        data = None if body is None else orjson.dumps(body)
        try:
            async with asyncio.timeout(timeout_s):
                response = await session().request(
                    method, self.url + path, data=data, headers=self._headers, allow_redirects=False
                )
                if response.status != 200:
                    await self._refuse(response)
        except aiohttp.ServerTimeoutError as error:
            raise ModelUnreachable from error
        except TimeoutError as error:
            raise ModelSlow from error
        except (aiohttp.ClientError, OSError) as error:
            raise ModelUnreachable from error
        return response

    async def fetch(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, timeout_s: float = 60.0
    ) -> bytes:
        """The whole body of the answer."""
        response = await self.open(method, path, body, timeout_s=timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                return await _body(response, LARGEST_ANSWER)
        except TimeoutError as error:
            raise ModelSlow from error
        except (aiohttp.ClientError, OSError) as error:
            raise ModelUnreachable from error
        finally:
            response.close()

    async def json(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, timeout_s: float = 60.0
    ) -> Any:
        """The answer as JSON."""
        try:
            return orjson.loads(await self.fetch(method, path, body, timeout_s=timeout_s))
        except orjson.JSONDecodeError as error:
            raise ModelBroken from error

    async def _refuse(self, response: aiohttp.ClientResponse) -> None:
        try:
            status = response.status
            if status in _BUSY:
                raise ModelUnreachable
            if status in (401, 403):
                raise ModelRefused(_("The model server does not accept the key."))
            if 400 <= status < 500:
                raise ModelRefused(refusal(await response.content.read(8192)))
            raise ModelBroken
        finally:
            response.close()


async def _body(response: aiohttp.ClientResponse, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > limit:
            raise ModelBroken
        parts.append(part)
    return b"".join(parts)
