"""Files that appear whole or not at all: written aside, synced, renamed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import BinaryIO

BUFFER = 2**20


def create(path: Path) -> BinaryIO:
    """A new file; raises FileExistsError."""
    return open(path, "xb", buffering=BUFFER)


def fsync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def rename(source: Path, target: Path) -> None:
    """Give a finished file or folder its name, and make the name last."""
    os.rename(source, target)
    fsync_folder(target.parent)


def fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """The hash of a file as it lies on the disk."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
