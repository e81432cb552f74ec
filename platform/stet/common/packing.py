"""Token arrays as bytes: int32 and float32, little-endian, as they lie in the database."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import TypeVar

N = TypeVar("N", int, float)

assert array("i").itemsize == array("f").itemsize == 4


def pack_ids(ids: Sequence[int]) -> bytes:
    """Token ids [T] as int32 LE."""
    return _little(array("i", ids))


def unpack_ids(data: bytes | memoryview) -> array[int]:
    """The ids [T] that ``pack_ids`` packed."""
    return _native(array("i"), data)


def pack_floats(values: Sequence[float]) -> bytes:
    """Log-probabilities [T] as float32 LE."""
    return _little(array("f", values))


def unpack_floats(data: bytes | memoryview) -> array[float]:
    """The values [T] that ``pack_floats`` packed."""
    return _native(array("f"), data)


def _little(values: array[N]) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _native(values: array[N], data: bytes | memoryview) -> array[N]:
    values.frombytes(bytes(data))
    if sys.byteorder == "big":
        values.byteswap()
    return values
