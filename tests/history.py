"""What clients saw, one JSON line an operation, and the checker of invariants I1 to I6.

The checker reads the database at the end and compares it with what was acknowledged, refused,
shown and sent to the model. It raises AssertionError with the first breach.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as Folder
from typing import Any
from uuid import UUID

from stet.common.packing import unpack_floats, unpack_ids
from stet.traces import selectors
from stet.traces.digests import seen_digest, segment_digest
from stet.traces.models import (
    Act,
    Candidates,
    Chunk,
    Correction,
    Episode,
    Generation,
    Origin,
    Segment,
)
from stet.traces.paths import Path, by_id, path_of
from stet.traces.streams.live import wire

Tree = dict[UUID, Segment]


@dataclass
class History:
    """``ok``, ``fail`` (refused) and ``info`` (no answer) of acts; tokens that were shown."""

    file: Folder | None = None
    lines: list[dict[str, Any]] = field(default_factory=list)

    def note(self, kind: str, op: str, **what: Any) -> None:
        line = {"type": kind, "op": op, **what}
        self.lines.append(line)
        if self.file is not None:
            with self.file.open("a") as file:
                file.write(json.dumps(line, default=str) + "\n")

    @classmethod
    def read(cls, files: Iterable[Folder]) -> History:
        """The histories of several clients as one."""
        texts = [file.read_text() for file in files]
        return cls(None, [json.loads(line) for text in texts for line in text.splitlines()])

    def of(self, kind: str, op: str = "", episode: int | None = None) -> list[dict[str, Any]]:
        return [
            line
            for line in self.lines
            if line["type"] == kind
            and op in {"", line["op"]}
            and episode in {None, line.get("episode")}
        ]


def check(history: History, *, prompts: Sequence[Sequence[int]] | None = None) -> None:
    """Everything that a history claims about its episodes holds in the database.

    ``prompts`` are the ids [T] of every request that reached the model, if they are known.
    """
    episodes = {line["episode"] for line in history.lines if line.get("episode")}
    tree: Tree = {}
    for pk in sorted(episodes):
        tree |= check_episode(history, pk)
    generations = list(Generation.objects.filter(episode__in=episodes))
    for generation in generations:
        check_generation(history, generation, tree)
    if prompts is not None:
        check_prompts(generations, prompts, tree)


def check_episode(history: History, pk: int) -> Tree:
    """One episode; returns the segments of its tree."""
    episode = Episode.objects.select_related("policy").get(pk=pk)
    acts = list(Act.objects.filter(episode=episode).order_by("version"))
    # I6: versions grow by one, and no two acts were told the same one.
    assert [act.version for act in acts] == list(range(episode.version + 1)), pk
    told = [line["version"] for line in history.of("ok", episode=pk)]
    assert len(told) == len(set(told)), (pk, Counter(told).most_common(3))
    kinds = {act.version: act.kind for act in acts}
    for line in history.of("ok", episode=pk):
        assert kinds.get(line["version"]) == line["op"], (pk, line, kinds)
    mine = Segment.objects.filter(task_id=episode.task_id, round=episode.round)
    tree = by_id(mine)
    check_corrections(history, episode, tree)
    check_tree(tree)
    head = selectors.head_resolved(episode.head_segment_id, episode.head_length)
    assert head is not None, f"the head of episode {pk} is still in the making"
    path = path_of(tree, *head)
    assert all(a.end == b.start for a, b in zip(path.pieces, path.pieces[1:], strict=False))
    assert path.pieces[0].start == 0
    assert len(path.ids) == path.length
    return tree


def check_corrections(history: History, episode: Episode, tree: Tree) -> None:
    """I1 and I3: what was acknowledged is there exactly once, and nothing else; I2 for the rest."""
    stored = {row.pk: row for row in Correction.objects.filter(episode=episode)}
    acknowledged = [line["id"] for line in history.of("ok", "correct", episode.pk)]
    assert len(acknowledged) == len(set(acknowledged)), acknowledged
    assert set(acknowledged) <= set(stored), (acknowledged, list(stored))
    unknown = len(history.of("info", "correct", episode.pk))
    assert len(stored) - len(acknowledged) <= unknown, (acknowledged, list(stored), unknown)
    acts = list(Act.objects.filter(episode=episode).order_by("version"))
    corrected = [act.version for act in acts if act.kind == Act.Kind.CORRECT]
    for version, (_, row) in zip(corrected, sorted(stored.items()), strict=True):
        head = selectors.head_resolved(
            acts[version - 1].head_segment_id, acts[version - 1].head_length
        )
        assert head is not None
        check_correction(row, path_of(tree, *head), tree)


def check_correction(row: Correction, head: Path, tree: Tree) -> None:
    """I4: up to the place nothing changed, bit by bit; I5: what was seen is what is stored."""
    before = path_of(tree, row.segment_id)
    after = path_of(tree, row.new_segment_id)
    at = row.position
    assert after.ids[:at] == before.ids[:at], row.pk
    assert bits(after.logprobs[:at]) == bits(before.logprobs[:at]), row.pk
    assert after.origins[:at] == before.origins[:at], row.pk
    assert list(after.ids[at:]) == row.accepted, row.pk
    assert list(before.ids[at : at + len(row.rejected)]) == row.rejected, row.pk
    assert after.tip.segment.start == at
    assert row.accepted != row.rejected
    if row.seen is not None:
        on_head = any(piece.segment.pk == row.segment_id for piece in head.pieces)
        shown = head if on_head else before
        assert row.seen["digest"] == seen_digest(shown.ids[: row.seen["upto"]]), row.pk
        assert row.seen["upto"] >= at


def check_tree(tree: Tree) -> None:
    """Digests chain, positions go on where the parent was cut, origins have what they must."""
    for segment in tree.values():
        parent = tree.get(segment.parent_id)
        digest = segment_digest(
            parent_digest=bytes(parent.digest) if parent else None,
            fork_at=segment.fork_at,
            origin=segment.origin,
            policy_id=segment.policy_id,
            ids=bytes(segment.ids),
            logprobs=None if segment.logprobs is None else bytes(segment.logprobs),
        )
        assert digest == bytes(segment.digest), segment.pk
        assert len(unpack_ids(segment.ids)) == segment.length >= 1
        if parent is not None:
            assert 1 <= segment.fork_at <= parent.length
            assert segment.start == parent.start + segment.fork_at
        scored = segment.origin in {Origin.MODEL, Origin.CANDIDATE}
        assert (segment.logprobs is not None) == scored
        path = path_of(tree, segment.pk)
        assert path.length == segment.start + segment.length == len(path.ids)


def check_generation(history: History, generation: Generation, tree: Tree) -> None:
    """It ended, its log became one segment, and everything that was shown of it is stored."""
    assert generation.ended_at is not None, generation.pk
    segment = tree.get(generation.segment_id)
    shown = [line for line in history.of("shown", "tokens") if line["id"] == str(generation.pk)]
    if generation.ahead:
        assert segment is None, generation.pk
        check_ahead(generation, shown)
        return
    assert generation.status not in {Generation.Status.RUNNING, Generation.Status.LOOKAHEAD}
    assert not Chunk.objects.filter(generation=generation).exists()
    assert (segment is not None) == (generation.n_tokens > 0), generation.pk
    if segment is None:
        assert not any(line["rows"] for line in shown)
        return
    assert segment.length == generation.n_tokens
    assert segment.seen_before_pick == (generation.candidate is not None)
    if segment.seen_before_pick:
        picked = tree[generation.parent_id]
        assert (picked.origin, list(unpack_ids(picked.ids))) == (2, [generation.candidate])
    lists = Candidates.objects.get(segment=segment)
    assert len(bytes(lists.ids)) == len(bytes(lists.logprobs)) == 4 * lists.k * segment.length
    ids = list(unpack_ids(segment.ids))
    scores = [wire(value) for value in unpack_floats(segment.logprobs)]
    for line in shown:
        count = len(line["rows"])
        assert [row[0] for row in line["rows"]] == ids[:count], generation.pk
        assert [row[2] for row in line["rows"]] == scores[:count], generation.pk


def check_ahead(generation: Generation, shown: list[dict[str, Any]]) -> None:
    """A look-ahead that was not taken has its log, with everything that was shown of it."""
    chunks = list(Chunk.objects.filter(generation=generation).order_by("start"))
    ids = [token for chunk in chunks for token in unpack_ids(bytes(chunk.ids))]
    assert generation.n_tokens == len(ids), generation.pk
    for line in shown:
        assert [row[0] for row in line["rows"]] == ids[: len(line["rows"])], generation.pk


def check_prompts(
    generations: list[Generation], prompts: Sequence[Sequence[int]], tree: Tree
) -> None:
    """Each request carried exactly the stored prefix; one request a generation, none besides."""
    sent = Counter(tuple(prompt) for prompt in prompts)
    prefixes = [prefix_of(generation, tree) for generation in generations]
    assert not sent - Counter(prefixes), "the model was sent ids that no stored prefix has"
    pairs = zip(generations, prefixes, strict=True)
    need = Counter(prefix for generation, prefix in pairs if generation.n_tokens)
    assert not need - sent, "tokens came without a request for their prefix"


def prefix_of(generation: Generation, tree: Tree) -> tuple[int, ...]:
    """The ids that a generation continues; for a look-ahead with the candidate behind them."""
    if not generation.ahead:
        return tuple(path_of(tree, generation.parent_id, generation.fork_at).ids)
    place = path_of(tree, generation.at_segment).cut(generation.start - 1)
    return (*place.ids, generation.candidate)


def bits(values: Sequence[float | None]) -> list[float | str | None]:
    """Numbers to be compared bit by bit, also where they are not numbers."""
    return ["nan" if value is not None and math.isnan(value) else value for value in values]
