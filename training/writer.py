"""Writes rows as shards, each three times: JSON lines, the same compressed, and parquet."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from training import durable
from training.targets.base import Broken

SHARD_BYTES = 240 * 2**20
BATCH_ROWS = 256
BATCH_BYTES = 16 * 2**20
PART = ".part"


@dataclass(frozen=True, slots=True)
class Written:
    """A finished file."""

    name: str
    size: int
    rows: int
    sha256: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class ShardWriter:
    """Rows in, files out; the same rows give the same bytes.

    A shard's lines have at most ``shard_bytes``; a longer row raises Broken.
    """

    def __init__(
        self,
        folder: Path,
        schema: pa.Schema,
        line: Callable[[dict[str, Any]], bytes],
        shard_bytes: int = SHARD_BYTES,
    ) -> None:
        self.folder, self.schema, self.line = folder, schema, line
        self.shard_bytes = shard_bytes
        self.files: list[Written] = []
        self.count = 0
        self._shard: _Shard | None = None

    def add(self, row: dict[str, Any]) -> None:
        line = self.line(row) + b"\n"
        if len(line) > self.shard_bytes:
            raise Broken("row_too_large", f"{len(line)} bytes")
        if self._shard is not None and self._shard.size + len(line) > self.shard_bytes:
            self._finish()
        if self._shard is None:
            stem = f"shard-{self.count:05d}"
            self._shard = _Shard(self.folder / stem, self.schema)
            self.count += 1
        self._shard.add(row, line)

    def close(self) -> list[Written]:
        """Finish the last shard; returns every file in order."""
        self._finish()
        return self.files

    def abandon(self) -> None:
        """Let go of what is open without writing any more; the folder is to be thrown away."""
        if self._shard is not None:
            self._shard.abandon()
            self._shard = None

    def _finish(self) -> None:
        if self._shard is not None:
            self.files += self._shard.finish()
            self._shard = None


class _Shard:
    def __init__(self, stem: Path, schema: pa.Schema) -> None:
        self.schema, self.size, self.rows = schema, 0, 0
        self.files: dict[Path, BinaryIO] = {}
        self.lines = self._open(stem, "jsonl")
        packed = self._open(stem, "jsonl.gz")
        self.gzip = gzip.GzipFile("", "wb", 6, packed, mtime=0)
        self.parquet = pq.ParquetWriter(
            self._open(stem, "parquet"), schema, compression="zstd", store_schema=True
        )
        self.batch: list[dict[str, Any]] = []
        self.batched = 0

    def _open(self, stem: Path, ending: str) -> BinaryIO:
        path = stem.with_name(f"{stem.name}.{ending}")
        file = durable.create(path.with_name(path.name + PART))
        self.files[path] = file
        return file

    def add(self, row: dict[str, Any], line: bytes) -> None:
        self.lines.write(line)
        self.gzip.write(line)
        self.batch.append(row)
        self.size += len(line)
        self.batched += len(line)
        self.rows += 1
        if len(self.batch) >= BATCH_ROWS or self.batched >= BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self.batch:
            self.parquet.write_table(pa.Table.from_pylist(self.batch, schema=self.schema))
            self.batch, self.batched = [], 0

    def finish(self) -> list[Written]:
        self._flush()
        self.parquet.close()
        self.gzip.close()
        return [seal(file, path, self.rows) for path, file in self.files.items()]

    def abandon(self) -> None:
        self.gzip.fileobj = None  # type: ignore[assignment]
        self.parquet.is_open = False
        for file in self.files.values():
            with suppress(OSError):
                file.close()


def seal(file: BinaryIO, path: Path, rows: int) -> Written:
    """Sync a file that was written beside ``path`` and give it its name."""
    durable.fsync(file)
    file.close()
    part = path.with_name(path.name + PART)
    durable.rename(part, path)
    return Written(path.name, path.stat().st_size, rows, durable.sha256_of(path))


def write_whole(path: Path, data: bytes, rows: int = 0) -> Written:
    """One small file, whole or not at all."""
    with durable.create(path.with_name(path.name + PART)) as file:
        file.write(data)
        return seal(file, path, rows)


def arrow_types(schema: pa.Schema) -> Mapping[str, str]:
    """The columns of a schema in words, for a manifest."""
    return {field.name: str(field.type) for field in schema}
