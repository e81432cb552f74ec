"""Files that were made to harm: each ends with a clear error, in little memory and time."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stet.common.errors import Invalid
from stet.projects.files import RowFile
from stet.projects.files.gunzip import Bomb, gunzip
from stet.projects.models import Task

Imported = Callable[..., dict[str, Any]]
GOOD = orjson.dumps({"messages": [{"role": "user", "content": "hi"}]}) + b"\n"


def packed(pieces: int, piece: bytes) -> bytes:
    pack = zlib.compressobj(wbits=31)
    return b"".join(pack.compress(piece) for _ in range(pieces)) + pack.flush()


def test_a_gzip_bomb_is_stopped_early_in_little_memory(tmp_path: Path) -> None:
    bomb = tmp_path / "x.jsonl.gz"
    bomb.write_bytes(packed(400, b" " * 2**20))
    tracemalloc.start()
    with pytest.raises(Bomb):
        list(RowFile(bomb, "jsonl.gz"))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * 2**20


def test_a_bomb_in_an_upload_keeps_what_came_before(imported: Imported) -> None:
    rows = b"".join(
        orjson.dumps({"messages": [{"role": "user", "content": f"q{n}"}]}) + b"\n"
        for n in range(600)
    )
    job = imported("x.jsonl.gz", gzip.compress(rows) + packed(100, b" " * 2**20))
    assert (job["status"], job["result"]["code"]) == ("failed", "gzip_bomb")
    assert Task.objects.count() == 600


def test_a_nested_bomb_is_one_broken_line(imported: Imported) -> None:
    job = imported("x.jsonl.gz", gzip.compress(packed(20, b" " * 2**20)))
    assert job["status"] in ("done", "failed")
    assert not Task.objects.exists()


@pytest.mark.parametrize("data", [b"no gzip", gzip.compress(GOOD)[:-9], gzip.compress(GOOD)[:12]])
def test_damaged_gzip_says_so(data: bytes) -> None:
    with pytest.raises(Invalid) as caught:
        gunzip(io.BytesIO(data)).read()
    assert caught.value.code == "bad_gzip"


def test_honest_text_that_packs_well_is_read() -> None:
    text = b"".join(b'{"n": %d, "text": "the same words again"}\n' % n for n in range(800_000))
    assert len(text) > 16 * 2**20
    assert gunzip(io.BytesIO(gzip.compress(text))).read() == text


def test_a_line_without_end_is_one_broken_line(imported: Imported) -> None:
    job = imported("x.jsonl", b"x" * (20 * 2**20) + b"\n" + GOOD)
    assert (job["result"]["added"], job["result"]["failed"]) == (1, 1)


def test_a_million_keys_are_one_broken_line(imported: Imported) -> None:
    keys = b",".join(b'"k%d": 1' % n for n in range(300_000))
    job = imported("x.jsonl", b"{" + keys + b"}\n" + GOOD)
    assert (job["result"]["added"], job["result"]["failed"]) == (1, 1)


def test_blank_lines_without_end_are_refused(imported: Imported) -> None:
    job = imported("x.jsonl", GOOD + b"\n" * 1_000_002)
    assert (job["status"], job["result"]["code"]) == ("failed", "blank_lines")
    assert Task.objects.count() == 1


def test_bottomless_json_is_one_broken_line(imported: Imported) -> None:
    job = imported("x.jsonl", b"[" * 10_000 + b"]" * 10_000 + b"\n" + GOOD)
    assert (job["result"]["added"], job["result"]["failed"]) == (1, 1)


def test_a_csv_cell_without_end_is_refused(imported: Imported) -> None:
    job = imported("x.csv", b'prompt\n"' + b"x" * (6 * 2**20) + b'"\n')
    assert (job["status"], job["result"]["code"]) == ("failed", "bad_csv")


def parquet(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def test_a_parquet_row_group_that_swells_is_refused(imported: Imported) -> None:
    prompts = pa.array(["x" * 1_000_000] * 300)
    data = parquet(pa.table({"prompt": prompts}), compression="zstd", use_dictionary=False)
    assert len(data) < 2**20
    job = imported("x.parquet", data)
    assert (job["status"], job["result"]["code"]) == ("failed", "bad_parquet")
    assert not Task.objects.exists()


def test_a_parquet_dictionary_that_swells_is_refused(imported: Imported) -> None:
    big = pa.array(["x" * 3_000_000])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), big)
    data = parquet(pa.table({"prompt": column}), compression="zstd")
    job = imported("x.parquet", data)
    assert (job["status"], job["result"]["code"]) == ("failed", "parquet_bomb")


@pytest.mark.parametrize("cut", [4, 12, 300])
def test_damaged_parquet_says_so(imported: Imported, cut: int) -> None:
    good = parquet(pa.table({"prompt": ["a", "b"]}))
    for data in (good[:cut], good[:-cut], b"PAR1" + b"\xff" * cut + b"PAR1"):
        job = imported("x.parquet", data)
        assert (job["status"], job["result"]["code"]) == ("failed", "bad_parquet")
        assert "/" not in job["error"]


def test_parquet_with_too_many_columns_is_refused(imported: Imported) -> None:
    table = pa.table({f"metadata.c{n}": ["x"] for n in range(1001)} | {"prompt": ["x"]})
    job = imported("x.parquet", parquet(table))
    assert "1000" in job["error"]
