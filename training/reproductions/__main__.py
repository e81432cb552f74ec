"""``python -m training.reproductions NAME``: run one and print its figures as JSON lines."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from training.reproductions import harness


def main() -> int:
    parser = argparse.ArgumentParser(prog="training.reproductions", description=__doc__)
    parser.add_argument("name", choices=harness.names())
    parser.add_argument("--profile", choices=("smoke", "full"), default="smoke")
    parser.add_argument("--seeds", type=int, help="how many; a full run needs the least of its own")
    parser.add_argument("--resume", action="store_true", help="keep the seeds that have a result")
    parser.add_argument("--folder", type=Path, default=Path(".stet/reproductions"))
    options = parser.parse_args()
    it = harness.reproduction(options.name)
    seeds = options.seeds or (it.seeds if options.profile == "full" else 1)
    if seeds < 1:
        parser.error("--seeds must be 1 or more")
    found = harness.results(it, options.profile, seeds, options.folder, options.resume)
    made = harness.report(it, options.profile, found)
    harness.write(options.folder / it.name / options.profile / "report.json", made)
    for line in made["figures"]:
        print(json.dumps({"reproduction": it.name, "profile": options.profile, **line}))
    for line in made["figures"]:
        bar = "-" if line["bar"] is None else f"{'>=' if line['at_least'] else '<='} {line['bar']}"
        span = f"{line['value']:.3f} [{line['low']:.3f}, {line['high']:.3f}]"
        print(f"{line['name']:<34} {span:<26} bar {bar:<8} paper {line['paper']}", file=sys.stderr)
    if options.profile == "full":
        print("passed" if made.get("passed") else "not passed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
