"""Serves files that never change: whole, in part, or not again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

BLOCK = 256 * 1024
FOREVER = "private, max-age=31536000, immutable"
_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))\Z")


def file_response(
    request: HttpRequest, path: Path, *, size: int, etag: str, content_type: str
) -> HttpResponseBase:
    """200, 206 for one range, 304 for a known ``etag``, or 416 for a range behind the end.

    Several ranges at once, and malformed ones, get the whole file, as RFC 9110 allows.
    """
    tag = f'"{etag}"'
    headers = {
        "ETag": tag,
        "Cache-Control": FOREVER,
        "Accept-Ranges": "bytes",
        "Vary": "Authorization, Cookie",
        "X-Content-Type-Options": "nosniff",
    }
    known = request.headers.get("If-None-Match", "")
    if known and (known.strip() == "*" or tag in re.split(r"\s*,\s*", known.replace("W/", ""))):
        return HttpResponse(status=304, headers=headers)
    start, end, status = 0, size, 200
    asked = request.headers.get("Range", "")
    if asked and request.headers.get("If-Range", tag) == tag:
        match = _RANGE.match(asked)
        if match is not None and size:
            start, end = _window(match, size)
            if start >= end:
                headers["Content-Range"] = f"bytes */{size}"
                return HttpResponse(status=416, headers=headers)
            status = 206
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    headers["Content-Length"] = str(end - start)
    headers["Content-Disposition"] = f'attachment; filename="{path.name}"'
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers, content_type=content_type)
    blocks: AsyncIterator[bytes] | Iterator[bytes]
    if isinstance(request, ASGIRequest):
        blocks = _blocks_async(path, start, end)
    else:
        blocks = _blocks(path, start, end)
    return StreamingHttpResponse(blocks, status=status, headers=headers, content_type=content_type)


def _window(match: re.Match[str], size: int) -> tuple[int, int]:
    """The half-open window of a range; empty when it lies behind the end or is turned round."""
    if match[3] is not None:
        return max(0, size - int(match[3])), size if int(match[3]) else 0
    end = min(size, int(match[2]) + 1) if match[2] else size
    return int(match[1]), end


def _block(path: Path, start: int, end: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(min(BLOCK, end - start))


def _blocks(path: Path, start: int, end: int) -> Iterator[bytes]:
    while start < end and (block := _block(path, start, end)):
        start += len(block)
        yield block


async def _blocks_async(path: Path, start: int, end: int) -> AsyncIterator[bytes]:
    """The same without holding up other requests.

    A client that goes away cancels this while a thread reads, so nothing is shared with it.
    """
    while start < end and (block := await asyncio.to_thread(_block, path, start, end)):
        start += len(block)
        yield block
