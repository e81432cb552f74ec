"""The conversation of a path as messages: a view, cut from the ids."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import orjson

from stet.traces.models import Origin, Span
from stet.traces.paths import Path
from training.trajectory import ANSWER, Trajectory

Message = dict[str, Any]


def messages_of(trajectory: Trajectory, path: Path) -> list[Message]:
    """The task's messages and the turns that follow; an answer's last end token is not text.

    A path that forks off inside the prompt keeps the messages before the fork, and the message
    that it forks in begins with the kept text.
    """
    root = path.pieces[0]
    messages = [dict(message) for message in trajectory.task.messages]
    opened = ""
    if root.length < root.segment.length:
        spans = _messages(trajectory, root.segment.pk)
        whole = [span for span in spans if span.end <= root.length]
        cut = next((span for span in spans if span.start < root.length < span.end), None)
        kept = cut.ordinal if cut else max((span.ordinal + 1 for span in whole), default=0)
        messages = messages[:kept]
        opened = _text(trajectory, path.ids[cut.start : root.length]) if cut else ""
    runs = groupby(path.pieces[1:], lambda piece: Origin(piece.segment.origin) in ANSWER)
    for answers, run in runs:
        pieces = list(run)
        if answers:
            text = opened + answer_text(trajectory, path, pieces[0].start, pieces[-1].end)
            messages.append({"role": "assistant", "content": text})
            opened = ""
            continue
        for piece in pieces:
            messages.extend(_turn(trajectory, path, piece.segment.pk, piece.start, piece.end))
    if opened:
        messages.append({"role": "assistant", "content": opened})
    return messages


def answer_text(trajectory: Trajectory, path: Path, start: int, end: int) -> str:
    """The text of [start, end) of a path, without the end token it may end in."""
    if end > start and path.ids[end - 1] in trajectory.eos:
        end -= 1
    return _text(trajectory, path.ids[start:end])


def plain_text(trajectory: Trajectory, path: Path, start: int, end: int) -> str:
    """The text of [start, end) without any special token: what a judge reads."""
    texts = trajectory.texts
    if texts is None:
        return ""
    return texts.text_of(i for i in path.ids[start:end] if not texts.is_special(i))


def as_columns(messages: list[Message]) -> list[dict[str, Any]]:
    """Messages in one shape for every row: role, content as text, and the rest as JSON."""
    return [
        {
            "role": str(message.get("role", "")),
            "content": content_text(message.get("content")),
            "extra": _extra(message),
        }
        for message in messages
    ]


def content_text(content: Any) -> str:
    """The text of a content that may be a string, a list of parts or null."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _extra(message: Message) -> str | None:
    extra = {key: value for key, value in message.items() if key not in ("role", "content")}
    if not isinstance(message.get("content"), str):
        extra["content"] = message.get("content")
    return orjson.dumps(extra, option=orjson.OPT_SORT_KEYS).decode() if extra else None


def _turn(trajectory: Trajectory, path: Path, segment: Any, start: int, end: int) -> list[Message]:
    spans = [span for span in _messages(trajectory, segment) if start <= span.start < end]
    return [
        {"role": span.role or "user", "content": _text(trajectory, path.ids[span.start : span.end])}
        for span in spans
    ] or [{"role": "user", "content": _text(trajectory, path.ids[start:end])}]


def _messages(trajectory: Trajectory, segment: Any) -> list[Span]:
    spans = trajectory.spans.get(segment, ())
    found = [span for span in spans if span.level == Span.Level.MESSAGE]
    return sorted(found, key=lambda span: (span.start, span.ordinal))


def _text(trajectory: Trajectory, ids: Any) -> str:
    return trajectory.texts.text_of(ids) if trajectory.texts else ""
