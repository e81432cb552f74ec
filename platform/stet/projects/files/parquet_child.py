"""Prints the column names, then the rows, of a Parquet file as JSON Lines; run by its path."""

from __future__ import annotations

import os
import resource
import sys
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

SAYS = "parquet: "
MAX_COLUMNS = 1000
MAX_GROUP = 256 * 2**20
BATCH = 256
MEMORY = 2 * 2**30
CPU_SECONDS = 600


def main(path: str) -> int:
    """0, or 1 with the reason, in one word or in the library's, last on the standard error."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    # The system's allocator reserves no address space ahead, so that the limit means memory.
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    import orjson
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    try:
        file = pq.ParquetFile(path, memory_map=False, pre_buffer=False)
        meta = file.metadata
        if meta.num_columns > MAX_COLUMNS:
            return _fail("columns")
        for index in range(meta.num_row_groups):
            if meta.row_group(index).total_byte_size > MAX_GROUP:
                return _fail("group")
        out = sys.stdout.buffer
        out.write(orjson.dumps(file.schema_arrow.names) + b"\n")
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            for row in batch.to_pylist():
                out.write(orjson.dumps(_plain(row), default=str) + b"\n")
        out.flush()
    except BrokenPipeError:
        os._exit(0)
    except MemoryError:
        return _fail("memory")
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        return _fail(str(error).splitlines()[0][:300] if str(error) else type(error).__name__)
    return 0


def _plain(value: Any) -> Any:
    """Arrow's values as JSON has them; a member of a struct that is null was not there."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [
            {k: _plain(v) for k, v in item.items() if v is not None}
            if isinstance(item, dict)
            else _plain(item)
            for item in value
        ]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _fail(why: str) -> int:
    sys.stderr.write(f"{SAYS}{why}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
