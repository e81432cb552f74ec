"""What plain data must not hold, since a database, a tokenizer or a browser chokes on it."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _

MAX_DEPTH = 100


def flaw(value: Any) -> str | None:
    """Why ``value`` (parsed JSON) cannot be kept, fit to show; None if it can.

    A stack and no recursion, so that depth itself cannot hurt.
    """
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, str):
            if "\x00" in item:
                return _("text with a NUL character cannot be stored")
            if not item.isascii() and not _encodes(item):
                return _("text with half of a surrogate pair cannot be stored")
        elif isinstance(item, float):
            if not math.isfinite(item):
                return _("NaN and Infinity are not JSON")
        elif isinstance(item, dict | list):
            if depth >= MAX_DEPTH:
                return _("nested deeper than %(depth)d levels") % {"depth": MAX_DEPTH}
            inner = [*item, *item.values()] if isinstance(item, dict) else item
            stack.extend((one, depth + 1) for one in inner)
    return None


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
