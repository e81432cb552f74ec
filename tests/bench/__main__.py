"""Measure: ``python -m tests.bench [--quick] [--page]``; ONLY=P1,P3 picks figures."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

import uvloop

from tests.bench import page
from tests.bench.figures import BARS, REAL, SCRIPTED, Figure
from tests.bench.rig import Rig
from tests.scripted.folder import write_folder


def main() -> int:
    """Run the wanted figures and print them. Returns 0, or 2 for a name that does not exist."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, to try the commands")
    parser.add_argument("--page", action="store_true", help="refresh docs/measurements.md")
    options = parser.parse_args()
    names = {name for name, _ in BARS}
    wanted = {name.strip() for name in os.environ.get("ONLY", "").split(",") if name.strip()}
    if unknown := wanted - names:
        sys.stderr.write(f"ONLY names {', '.join(sorted(unknown))}; there are {sorted(names)}\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        os.chmod(folder, 0o755)
        found = uvloop.run(measure(Path(folder), wanted or names, quick=options.quick))
    if options.page:
        page.refresh(found, page.load_now())
    return 0


async def measure(folder: Path, wanted: set[str], *, quick: bool) -> list[Figure]:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    found: list[Figure] = []

    def show(figures: list[Figure]) -> None:
        for figure in figures:
            sys.stdout.write(figure.line() + "\n")
            sys.stdout.flush()
        found.extend(figures)

    with Rig(folder).running() as rig:
        from tests.bench import corrections as c
        from tests.bench.cast import Cast
        from tests.bench.long import long_page
        from tests.bench.memory import memory
        from tests.bench.picks import picks
        from tests.bench.streams import streams
        from tests.bench.writes import writes

        cast = Cast(served_name="scripted", tokenizer=write_folder(folder / "tokenizer"))
        if wanted & {"P1", "P2", "P5"}:
            show(await streams(rig, cast, wanted, rounds=1 if quick else 5))
        if wanted & {"P3", "P3.p95"}:
            with (
                rig.scripted(cast.tokenizer, ttft_ms=10, itl_ms=20) as model,
                rig.web(model.url, cast.tokenizer, cast.served_name) as web,
            ):
                settings = {"count": 30 if quick else 200, "words": 120, "to_end": False}
                times = await c.corrections(web.url, model.url, cast, **settings)
            show(c.figures(times, SCRIPTED, wanted))
        if "P6" in wanted:
            show(await memory(rig, cast))
        if wanted & {"P10", "P10.append", "P10.first"}:
            show(await long_page(rig, folder / "tokenizer", wanted, quick=quick))
        if "P9" in wanted:
            show(await writes(rig, cast, count=100 if quick else 500))
        if wanted & {"P3", "P3.p95", "P3.ratio", "P4"}:
            show(await real(rig, wanted, count=20 if quick else 100))
        if "P3L" in wanted:
            each = 3 if quick else 12
            with (
                rig.scripted(cast.tokenizer, ttft_ms=250, itl_ms=60) as model,
                rig.web(model.url, cast.tokenizer, cast.served_name) as web,
            ):
                show(await asyncio.to_thread(picks, web.url, cast, SCRIPTED, each=each, words=120))
            show(await ahead(rig, each=each))
    return found


def served() -> tuple[Path, str]:
    """The folder of the real model, and what its server calls it."""
    from stet.stack.model import ensure_model
    from stet.stack.vllm import SERVED_NAME

    given = os.environ.get("TOKENIZER_DIR")
    folder = Path(given) if given else ensure_model()
    return folder, os.environ.get("VLLM_MODEL") or SERVED_NAME


async def ahead(rig: Rig, *, each: int) -> list[Figure]:
    """The figure of look-ahead, in a page on the real model server."""
    from tests.bench.cast import Cast
    from tests.bench.picks import picks

    folder, name = served()
    with rig.vllm(folder) as model_url, rig.web(model_url, folder, name) as web:
        cast = Cast(served_name=name, tokenizer=folder)
        return await asyncio.to_thread(picks, web.url, cast, REAL, each=each, words=120)


async def real(rig: Rig, wanted: set[str], *, count: int) -> list[Figure]:
    """The figures of the real model server."""
    from tests.bench import corrections as c
    from tests.bench.cast import Cast

    folder, name = served()
    with rig.vllm(folder) as model_url, rig.web(model_url, folder, name) as web:
        cast = Cast(served_name=name, tokenizer=folder)
        times = await c.corrections(
            web.url, model_url, cast, count=count, words=330, to_end=True, max_tokens=24
        )
    return c.figures(times, REAL, wanted)


if __name__ == "__main__":
    sys.exit(main())
