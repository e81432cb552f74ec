"""Where the embedded stack keeps things: all of it in `.stet/` beside the code."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOME = ROOT / ".stet"
LOGS = HOME / "log"
RUN = HOME / "run"
CACHE = HOME / "cache"
MODEL = HOME / "model" / "smollm2-135m-instruct"
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
