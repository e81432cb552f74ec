"""Traces from elsewhere: a task with the messages as received, and an episode over their tokens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path as Folder
from typing import Any

import orjson
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from stet.common.errors import Invalid, StetError
from stet.common.packing import pack_ids
from stet.projects.models import Project, Task
from stet.projects.services import Added, tasks_add
from stet.projects.task_rows import TaskRow
from stet.traces.digests import segment_digest
from stet.traces.foreign import ForeignRenderer, Run
from stet.traces.formats.base import Conversation, Item, PandaFile
from stet.traces.formats.panda_tree import panda_tree
from stet.traces.models import Act, Episode, Segment, Span
from stet.traces.services.episode import act_record

Messages = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Trace:
    """What an item says: its dialogs, of which the ``main`` one is the episode's head."""

    external_id: str | None
    dialogs: list[Messages]
    main: int
    tools: list[dict[str, Any]] | None
    metadata: dict[str, Any]


@dataclass
class Outcome:
    """What became of numbered items: counts, the episode per number, the reason per bad one."""

    added: int = 0
    same: int = 0
    episodes: dict[int, int] = field(default_factory=dict)
    errors: list[tuple[int, StetError]] = field(default_factory=list)


@transaction.atomic
def foreign_add(
    *, project: Project, author: Any, items: list[tuple[int, Item]], folder: Folder
) -> Outcome:
    """Add numbered items, tokenised by the model folder; what is there already adds nothing."""
    renderer = ForeignRenderer(folder)
    outcome = Outcome()
    for number, item in items:
        try:
            with transaction.atomic():
                _add(project, author, number, as_trace(item), renderer, outcome)
        except StetError as error:
            outcome.errors.append((number, error))
    return outcome


def as_trace(item: Item) -> Trace:
    """The dialogs of an item; a panda file keeps its whole document in the metadata."""
    if isinstance(item, Conversation):
        return Trace(item.external_id, [item.messages], 0, item.tools, item.metadata)
    return _panda_trace(item)


def _panda_trace(file: PandaFile) -> Trace:
    good = panda_tree(file).good
    answered = [
        key
        for key, dialog in file.dialogs.items()
        if any(message["role"] == "assistant" for message in dialog.messages)
    ]
    keys = answered or list(file.dialogs)
    main = next((at for at, key in reversed(list(enumerate(keys))) if key in good), len(keys) - 1)
    return Trace(
        external_id=file.uuid,
        dialogs=[file.dialogs[key].messages for key in keys],
        main=main,
        tools=file.dialogs[keys[main]].tools,
        metadata={"panda": file.raw, "dialogs": keys},
    )


def _add(
    project: Project,
    author: Any,
    number: int,
    trace: Trace,
    renderer: ForeignRenderer,
    outcome: Outcome,
) -> None:
    added = _task(project, trace)
    for _number, error in added.errors:
        raise error
    task_id = added.tasks[1]
    if added.same:
        episode = Episode.objects.filter(task_id=task_id).order_by("pk").first()
        outcome.same += 1
    else:
        episode = _episode(Task.objects.get(pk=task_id), author, trace, renderer)
        outcome.added += 1
    if episode is not None:
        outcome.episodes[number] = episode.pk


def _task(project: Project, trace: Trace) -> Added:
    content = {
        "messages": trace.dialogs[trace.main],
        "tools": trace.tools,
        "metadata": trace.metadata,
    }
    digest = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS))
    name = trace.external_id or f"sha256:{digest.hexdigest()}"
    if len(name) > 200:
        raise Invalid(_("The id has more than 200 characters."), code="bad_id")
    row = TaskRow(
        external_id=name,
        content_sha256=digest.digest(),
        messages=trace.dialogs[trace.main],
        tools=trace.tools,
        reference=None,
        checks=[],
        limits={},
        metadata=trace.metadata,
        overlap=1,
        priority=0,
    )
    return tasks_add(project=project, rows=[(1, row)])


def _episode(task: Task, author: Any, trace: Trace, renderer: ForeignRenderer) -> Episode:
    """One episode over the tree of all dialogs; what they share from the start is stored once."""
    segments: dict[bytes, Segment] = {}
    spans: list[Span] = []
    tips = [
        _grow(task, messages, trace.tools, renderer, segments, spans) for messages in trace.dialogs
    ]
    head = tips[trace.main]
    Task.objects.filter(pk=task.pk, frozen_at=None).update(frozen_at=Now())
    episode = Episode.objects.create(
        task=task,
        author=author,
        status=Episode.Status.SUBMITTED,
        head_segment=head,
        head_length=head.length,
    )
    for segment in segments.values():
        segment.episode = None if segment.parent is None else episode
    Segment.objects.bulk_create(segments.values())
    Span.objects.bulk_create(spans)
    act_record(episode, Act.Kind.BEGIN, author)
    return episode


def _grow(
    task: Task,
    messages: Messages,
    tools: list[dict[str, Any]] | None,
    renderer: ForeignRenderer,
    segments: dict[bytes, Segment],
    spans: list[Span],
) -> Segment:
    """Append the dialog to the tree, by the messages said so far; returns its last segment."""
    tip: Segment | None = None
    for run in renderer.runs(messages, tools):
        key = orjson.dumps([run.upto, messages[: run.upto]], option=orjson.OPT_SORT_KEYS)
        found = segments.get(key)
        if found is None:
            found = segments[key] = _segment(task, tip, run, renderer)
            spans += [
                Span(
                    segment=found,
                    level=mark.level,
                    role=mark.role,
                    ordinal=mark.ordinal,
                    start=found.start + mark.start,
                    end=found.start + mark.end,
                )
                for mark in run.marks
            ]
        tip = found
    assert tip is not None
    return tip


def _segment(task: Task, parent: Segment | None, run: Run, renderer: ForeignRenderer) -> Segment:
    ids = pack_ids(run.ids)
    fork_at = parent.length if parent else None
    return Segment(
        task=task,
        parent=parent,
        fork_at=fork_at,
        start=parent.start + parent.length if parent else 0,
        length=len(run.ids),
        origin=run.origin,
        tokenizer_sha256=renderer.tokenizer.sha256,
        ids=ids,
        digest=segment_digest(
            parent_digest=bytes(parent.digest) if parent else None,
            fork_at=fork_at,
            origin=run.origin,
            policy_id=None,
            ids=ids,
            logprobs=None,
        ),
    )
