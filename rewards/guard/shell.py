"""What a line of shell does, by the effects that it names and not by how it is spelt."""

from __future__ import annotations

import re

MOST = 4000
DELETES = re.compile(r"\b(?:rm|unlink|rmdir|rmtree|truncate)\b|\bgit\s+(?:clean|reset)\b")
WRITES = re.compile(
    r"(?<![<>&\d])>{1,2}(?!&)|\btee\b|\bsed\b[^|;&]*\s-i|\bperl\b[^|;&]*\s-\w*i|\bmv\b|\bcp\b|\bdd\b"
    r"|\bchmod\b|\bchown\b|\bpatch\b|\bopen\([^)]*['\"][wax]|\bwrite_(?:text|bytes)\(|\bgit\s+apply\b"
)
NETWORK = re.compile(r"\b(?:curl|wget|nc|ncat|ssh|scp|rsync|ftp|telnet)\b|https?://|\bsocket\b")
HIDDEN = re.compile(r"\bbase64\b|\beval\b|\bxxd\b|\\x[0-9a-f]{2}|\bexec\(")
CHECKS = re.compile(r"\bpytest\b|\bunittest\b|\btox\b|\bmake\s+(?:test|check)\b|\bnpm\s+test\b")
WORDS = re.compile(r"[\w./@~-]{2,}")


def effects(line: str) -> set[str]:
    """Of ``delete``, ``write``, ``network``, ``hidden`` and ``check`` those that a line may have.

    ``python -c``, here-documents and pipes are lines like any other: what they call is named in
    them. What is hidden (base64, eval) is said to be so, since nothing else can be known of it.
    """
    head = line[:MOST]
    kinds = {
        "delete": DELETES,
        "write": WRITES,
        "network": NETWORK,
        "hidden": HIDDEN,
        "check": CHECKS,
    }
    return {name for name, pattern in kinds.items() if pattern.search(head)}


def operands(line: str) -> list[str]:
    """The words of a line that look like files or addresses."""
    return [word for word in WORDS.findall(line[:MOST]) if set(word) & set("/.@")]
