"""Server-sent events out of bytes that may be cut anywhere."""

from __future__ import annotations

from stet.policies.samplers.base import ModelBroken

# A reader that fell behind may get thousands of tokens, about 1 kB each, in one event.
LONGEST_LINE = 64 * 2**20


class EventLines:
    """Collects bytes and hands out the payload of each whole ``data:`` line, in order."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Payloads that ``data`` completes; comments, other fields and empty lines are dropped.

        A payload keeps the blank before it and a carriage return after it: JSON allows both.
        Raises ModelBroken for a line beyond LONGEST_LINE.
        """
        if not self._parts and data.endswith(b"\n\n") and data.count(b"\n") == 2:
            # Nearly always one read is one whole event; this is the quick way for it.
            return [data[5:-2]] if data.startswith(b"data:") else []
        if b"\n" not in data:
            self._keep(data)
            return []
        if self._parts:
            self._parts.append(data)
            data = b"".join(self._parts)
            self._parts.clear()
            self._size = 0
        lines = data.split(b"\n")
        self._keep(lines.pop())
        return [line[5:] for line in lines if line.startswith(b"data:")]

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
            if self._size > LONGEST_LINE:
                raise ModelBroken
