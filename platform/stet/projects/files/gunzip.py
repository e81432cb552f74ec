"""A gzip file as a stream that cannot be made to swell without end."""

from __future__ import annotations

import io
import zlib
from typing import BinaryIO

from django.utils.translation import gettext as _

from stet.common.errors import Invalid

MAX_BYTES = 4 * 2**30
# Text packs 3 to 30 times; what packs a thousand times was made to harm.
MAX_RATIO, FREE_BYTES = 200, 16 * 2**20
STEP = 256 * 1024


class Bomb(Invalid):
    code = "gzip_bomb"


class Gunzip(io.RawIOBase):
    """Reads ``source`` unpacked, in pieces of at most ``STEP``; several members may follow."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self.source = source
        self.unpack = zlib.decompressobj(wbits=31)
        self.packed = b""
        self.ended = False
        self.total_in = self.total_out = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        data = self._next(min(len(buffer), STEP))
        buffer[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        while not self.ended:
            if self.unpack.eof:
                rest = self.unpack.unused_data
                self.unpack, self.packed = zlib.decompressobj(wbits=31), rest
                if not rest.strip(b"\0") and not self._fill():
                    self.ended = True
                    break
            if not self.packed and not self._fill():
                raise Invalid(
                    _("The gzip file is cut off in the middle; what came before it was kept."),
                    code="bad_gzip",
                )
            try:
                data = self.unpack.decompress(self.packed, size)
            except zlib.error:
                raise Invalid(
                    _("The file is not gzip, or it is damaged here; what came before was kept."),
                    code="bad_gzip",
                ) from None
            self.packed = self.unpack.unconsumed_tail
            self.total_out += len(data)
            self._check()
            if data:
                return data
        return b""

    def _fill(self) -> bool:
        self.packed = self.source.read(STEP)
        self.total_in += len(self.packed)
        return bool(self.packed)

    def _check(self) -> None:
        swollen = self.total_out > FREE_BYTES and self.total_out > MAX_RATIO * self.total_in
        if swollen or self.total_out > MAX_BYTES:
            raise Bomb(
                _(
                    "The gzip file unpacks to more than %(ratio)d times its size, or to more than "
                    "%(size)d GB. What came before was kept; split the file."
                )
                % {"ratio": MAX_RATIO, "size": MAX_BYTES // 2**30}
            )


def gunzip(source: BinaryIO) -> io.BufferedReader:
    """``source`` unpacked; raises Invalid where it is damaged, Bomb where it swells."""
    return io.BufferedReader(Gunzip(source), STEP)
