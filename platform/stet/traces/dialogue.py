"""An episode as a dialogue: what a template needs to know of it, and what it put in itself."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

from stet.policies.chat import load_chat_template
from stet.policies.tokenizer import load_tokenizer
from stet.traces.models import Episode, Span
from stet.traces.models.segment import SPOKEN
from stet.traces.paths import ANSWER, Path
from stet.traces.selectors import spans_of


def system_in_force(episode: Episode) -> str | None:
    """The system text that the policy's template puts where the task brings none."""
    if episode.policy is None:
        return None
    chat = load_chat_template(Folder(episode.policy.tokenizer_dir))
    return chat.default_system(episode.task.messages, episode.task.tools)


def message_forked(path: Path) -> Span | None:
    """The prompt's message in which a path forks off, whose text the answer goes on from."""
    root = path.pieces[0]
    if root.length == root.segment.length:
        return None
    own = Span.objects.filter(SPOKEN, segment=root.segment, level=Span.Level.MESSAGE)
    return own.filter(start__lte=root.length, end__gte=root.length).order_by("start").first()


def conversation(episode: Episode, path: Path) -> list[dict[str, Any]]:
    """The path as messages: the task's own, then each sampled answer and each further turn.

    A path that forks off inside the prompt has the messages before the fork, and the answer that
    goes on there begins with the kept tokens.
    """
    messages = list(episode.task.messages)
    if episode.policy is None:
        return messages
    tokenizer = load_tokenizer(Folder(episode.policy.tokenizer_dir))
    spans = spans_of(path)
    ends = set(episode.policy.eos_token_ids)
    answer: list[int] = []
    cut = message_forked(path)
    if cut is not None:
        messages = messages[: cut.ordinal]
        answer = list(path.ids[cut.start : path.pieces[0].length])
    for piece in path.pieces[1:]:
        if piece.segment.origin in ANSWER:
            answer.extend(token for token in piece.ids if token not in ends)
            continue
        messages.append({"role": "assistant", "content": tokenizer.text_of(answer)})
        answer = []
        for span in spans:
            if span.segment_id == piece.segment.pk:
                text = tokenizer.text_of(path.ids[span.start : span.end])
                messages.append({"role": span.role, "content": text})
    if answer:
        messages.append({"role": "assistant", "content": tokenizer.text_of(answer)})
    return messages
