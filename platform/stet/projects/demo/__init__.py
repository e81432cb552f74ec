"""The content of the demo project, as data beside this file.

`tasks.jsonl`, a task a line: ``external_id``; ``messages`` (OpenAI style; the last is the user's);
``metadata`` with ``title``, ``language`` (en, zh) and ``topic``; ``checks``, each with a ``kind``
of `rewards.sources.properties` and its parameters; ``limits.max_tokens``; and ``reference`` where
the whole answer can be known.

`agent_runs.jsonl`, a finished run of the world in `world.py` a line: ``external_id``; ``messages``
with ``tool_calls`` and tool results; ``tools``; ``metadata`` as above with ``reward`` (0 or 1, by
``goal``, the rows of the world's end state that must be as written, none other changed) and
``faults`` (``call``: the id of the call at fault, or null; ``kind``; ``note``).

`guideline_en.md` and `guideline_zh.md`: what the annotators read. Sampling at `SAMPLING` makes
answers of the small model that are worth correcting; at temperature 1 it rambles.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent
SAMPLING: dict[str, Any] = {"temperature": 0.7}


def demo_tasks() -> list[dict[str, Any]]:
    """The rows of `tasks.jsonl`."""
    return _rows("tasks.jsonl")


def demo_agent_runs() -> list[dict[str, Any]]:
    """The rows of `agent_runs.jsonl`."""
    return _rows("agent_runs.jsonl")


def demo_guideline(lang: Literal["en", "zh"]) -> str:
    """The guideline for annotators, as Markdown."""
    return (FOLDER / f"guideline_{lang}.md").read_text(encoding="utf-8")


def _rows(name: str) -> list[dict[str, Any]]:
    # Not splitlines: U+2028 and its like may stand inside a JSON string.
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]
