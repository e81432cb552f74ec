"""Traces as JSON documents: what the API answers and the page reads."""

from __future__ import annotations

import base64
from pathlib import Path as Folder
from typing import Any

from stet.policies.chat import load_chat_template
from stet.policies.models import PolicyVersion
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from stet.projects.models import Task
from stet.projects.switches import switches
from stet.traces import selectors
from stet.traces.failures import failure_document
from stet.traces.models import (
    Correction,
    CorrectionReason,
    Episode,
    Generation,
    Origin,
    Segment,
    Span,
)
from stet.traces.paths import Path
from stet.traces.rows import path_rows, tokenizer_of
from stet.traces.streams.live import wire

Document = dict[str, Any]


def head_document(head: tuple[Any, int | None] | None) -> Document | None:
    return None if head is None else {"segment": str(head[0]), "length": head[1]}


def policy_document(policy: PolicyVersion | None) -> Document | None:
    """What the page must know of a policy to show and end its answers."""
    if policy is None:
        return None
    chat = load_chat_template(Folder(policy.tokenizer_dir))
    tokenizer = chat.tokenizer
    signs = {sign for marker in chat.channels for sign in (marker.opens, *marker.closes)}
    names = {i: name for name, i in tokenizer.added.items() if i in signs}
    return {
        "id": policy.pk,
        "name": str(policy),
        "eos": policy.eos_token_ids,
        "special": {str(i): name for i, name in {**names, **tokenizer.special}.items()},
        "channels": [
            {"kind": m.kind, "opens": m.opens, "closes": list(m.closes), "first": m.first}
            for m in chat.channels
        ],
        "vocab_size": policy.vocab_size,
        "max_len": policy.max_len,
        "logprobs_mode": policy.logprobs_mode,
    }


def generation_document(generation: Generation | None) -> Document | None:
    if generation is None:
        return None
    return {
        "id": str(generation.pk),
        "segment": str(generation.segment_id),
        "parent": None if generation.parent_id is None else str(generation.parent_id),
        "fork_at": generation.fork_at,
        "start": generation.start,
        "status": generation.status,
        "sampling": generation.sampling,
        "finish_reason": generation.finish_reason,
        "stop_reason": generation.stop_reason,
        "error": failure_document(generation.error),
        "n_tokens": generation.n_tokens,
        "candidate": generation.candidate,
        "created_at": generation.created_at,
    }


def segment_document(segment: Segment, generations: dict[Any, Generation]) -> Document:
    made_by = generations.get(segment.pk)
    return {
        "id": str(segment.pk),
        "parent": str(segment.parent_id) if segment.parent_id else None,
        "fork_at": segment.fork_at,
        "start": segment.start,
        "length": segment.length,
        "origin": segment.origin,
        "origin_name": Origin(segment.origin).label,
        "policy": segment.policy_id,
        "generation": str(made_by.pk) if made_by else None,
        "finish_reason": made_by.finish_reason if made_by else "",
        "seen_before_pick": segment.seen_before_pick,
        "created_at": segment.created_at,
    }


def correction_document(
    correction: Correction, tokenizer: Tokenizer | None, reason: str = ""
) -> Document:
    def text(ids: list[int]) -> str:
        return tokenizer.text_of(ids) if tokenizer is not None else ""

    return {
        "id": correction.pk,
        "segment": str(correction.segment_id),
        "index": correction.index,
        "position": correction.position,
        "how": correction.how,
        "rank": correction.rank,
        "reason": reason,
        "rejected": correction.rejected,
        "rejected_text": text(correction.rejected),
        "accepted": correction.accepted,
        "accepted_text": text(correction.accepted),
        "new_segment": str(correction.new_segment_id),
        "canonical": correction.canonical,
        "created_at": correction.created_at,
    }


def episode_summary(episode: Episode, *made: Generation | None) -> Document:
    """The head of an episode and what can be done with it: the answer to every act.

    ``made`` is the generation at the head, or None, where the act knows it.
    """
    generation = made[0] if made else selectors.generation_at_head(episode)
    undo, redo = selectors.undo_redo(episode)
    return {
        "id": episode.pk,
        "task": episode.task_id,
        "version": episode.version,
        "status": episode.status,
        "head": head_document((episode.head_segment_id, episode.head_length)),
        "generation": generation_document(generation),
        "undo": _target(undo),
        "redo": _target(redo),
    }


def _target(head: selectors.Head | None) -> Document | None:
    if head is None or head[1] is not None:
        return head_document(head)
    return head_document(selectors.head_resolved(*head))


def episode_document(episode: Episode, *, brief: bool = False) -> Document:
    """The whole tree, without the token arrays; ``brief`` also without the task's messages."""
    # Read before the lists: what ends meanwhile still runs here, and its reader hears the end.
    summary = episode_summary(episode)
    segments = selectors.tree(episode)
    generations = list(
        Generation.objects.filter(task_id=episode.task_id, round=episode.round)
        .filter(segment_id__in=[s.pk for s in segments])
        .union(Generation.objects.filter(episode=episode, parent__isnull=False))
    )
    generations.sort(key=lambda g: g.created_at)
    made = {generation.segment_id: generation for generation in generations}
    reasons = dict(
        CorrectionReason.objects.filter(correction__episode=episode)
        .order_by("pk")
        .values_list("correction_id", "reason")
    )
    policy = episode.policy
    tokenizer = load_tokenizer(Folder(policy.tokenizer_dir)) if policy is not None else None
    root = selectors.head_path(episode).root
    task = _small_task(episode.task_id) if brief else episode.task
    chosen = switches(task.project)
    return {
        **summary,
        "project": task.project_id,
        "author": episode.author_id,
        "task": {
            "id": task.pk,
            "external_id": task.external_id,
            **({} if brief else {"messages": task.messages, "metadata": task.metadata}),
        },
        "policy": policy_document(policy),
        "sampling": episode.sampling,
        "root": str(root.pk),
        "active_ms": episode.active_ms,
        "settings": {
            "heat": chosen["heat"],
            "lookahead": chosen["lookahead"],
            "jump": chosen["jump"],
        },
        "lookahead": selectors.lookahead_cost(episode=episode),
        "segments": [segment_document(segment, made) for segment in segments],
        "generations": [generation_document(generation) for generation in generations],
        "corrections": [
            correction_document(correction, tokenizer, reasons.get(correction.pk, ""))
            for correction in Correction.objects.filter(episode=episode).order_by("pk")
        ],
    }


def span_document(span: Span) -> Document:
    return {
        "level": span.level,
        "role": span.role,
        "index": span.ordinal,
        "start": span.start,
        "end": span.end,
    }


def _small_task(task_id: int) -> Task:
    """A task without what may be large."""
    large = ("messages", "tools", "metadata", "reference", "checks")
    return Task.objects.select_related("project").defer(*large).get(pk=task_id)


def path_document(episode: Episode, path: Path | None = None) -> Document:
    """A path, by default the head's: ids, bytes, text, origins and log-probabilities."""
    path = path or selectors.head_path(episode)
    tokenizer = tokenizer_of(path.root, episode.policy)
    data = tokenizer.bytes_of(path.ids) if tokenizer is not None else b""
    return {
        "episode": episode.pk,
        "version": episode.version,
        "segment": str(path.tip.segment.pk),
        "length": path.tip.length,
        "token_ids": list(path.ids),
        "bytes": base64.b64encode(data).decode(),
        "text": data.decode("utf-8", errors="replace"),
        "rows": path_rows(path, tokenizer) if tokenizer is not None else [],
        "origins": path.origins,
        "logprobs": [wire(value) for value in path.logprobs],
        "spans": [span_document(span) for span in selectors.spans_of(path, cut=True)],
        "pieces": [
            {
                "segment": str(piece.segment.pk),
                "start": piece.start,
                "end": piece.end,
                "origin": piece.segment.origin,
            }
            for piece in path.pieces
        ],
        "generation": generation_document(selectors.generation_at_head(episode)),
    }
