"""The real package sees in a `panda` export what the rows say: trees, pairs and SFT rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stet.traces.models import Segment
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import loaded, rows_of
from tests.training.panda_package import tree_of
from training.messages import Message, messages_of
from training.trajectory import Trajectory

pytestmark = pytest.mark.django_db

WORDS = [ids_of(text)[0] for text in (" a", " b", "。", "é")]
word = st.sampled_from(WORDS)
answer = st.tuples(st.lists(word, min_size=1, max_size=4), st.sampled_from([True, True, False]))
place = st.integers(0, 7)
act = st.one_of(
    st.tuples(st.just("sample"), answer),
    st.tuples(st.just("again"), answer),
    st.tuples(st.just("pick"), place, word),
    st.tuples(st.just("type"), place, st.lists(word, min_size=1, max_size=3)),
    st.tuples(st.just("end"), place),
    st.tuples(st.just("move"), place),
    st.tuples(st.just("turn"), st.sampled_from(["Go on.", "再来。"])),
)


class Walk:
    """Acts on a tree that are possible in the application; others are left out."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.sampled: list[tuple[Segment, list[int]]] = []

    def sample(self, ids: list[int], ended: bool) -> None:
        if self.last() == EOS:
            return
        ids = [*ids, EOS] if ended else ids
        self.sampled.append((self.tree.sample(ids), ids))

    def last(self) -> int:
        segment, length = self.tree.head
        return int(memoryview(bytes(segment.ids)).cast("i")[length - 1])

    def do(self, name: str, *args: Any) -> None:
        if name == "sample":
            self.sample(*args[0])
        elif name == "again":
            self.tree.move(self.tree.root, self.tree.root.length)
            self.sample(*args[0])
        elif name == "turn":
            tip, length = self.tree.head
            if tip.origin != 0 and length == tip.length and self.last() == EOS:
                self.tree.turn(args[0])
        elif self.sampled:
            segment, ids = self.sampled[args[0] % len(self.sampled)]
            index = args[0] % len(ids)
            if name == "move":
                self.tree.move(segment, index + 1)
                return
            new = {"pick": lambda: [args[1]], "type": lambda: args[1], "end": lambda: [EOS]}[name]()
            if new[:1] != ids[index : index + 1]:
                how = {"pick": "pick", "type": "type", "end": "end_here"}[name]
                self.tree.correct(segment, index, new, how=how)

    def finish(self) -> None:
        if self.last() != EOS or self.tree.head[0].origin == 0:
            self.sample([WORDS[0]], True)


def plain(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def pairs_of(trajectory: Trajectory) -> set[tuple[Any, str, str]]:
    """(prompt, rejected, chosen) for each branch that left an accepted answer to the same prompt.

    A branch that only begins the accepted answer without an end, or says the same, is no pair.
    """
    accepted: dict[Any, tuple[str, bool]] = {}
    path = trajectory.path
    for turn in trajectory.turns(path):
        said = plain(messages_of(trajectory, path.cut(turn.end)))
        accepted[tuple(said[:-1])] = (said[-1][1], turn.finished)
    found = set()
    for branch in trajectory.branches:
        last = trajectory.turns(branch.path)[-1:]
        if not last or last[0].end < branch.path.length:
            continue
        said = plain(messages_of(trajectory, branch.path))
        chosen, ended = accepted.get(tuple(said[:-1]), (None, True))
        text = said[-1][1]
        if chosen is None or text == chosen:
            continue
        if chosen.startswith(text) and not last[0].finished:
            continue
        if text.startswith(chosen) and not ended:
            continue
        found.add((tuple(said[:-1]), text, chosen))
    return found


def check_parents(
    trajectory: Trajectory, document: dict[str, Any], to_parent: dict[int, int | None]
) -> None:
    """A corrected version stands below one that holds the whole segment it was corrected in."""
    records = document["stet"]["dialogs"]
    shown = {number: dialog["messages"] for number, dialog in document["dialogs"].items()}
    holders: dict[Any, set[int]] = {}
    for number in shown:
        own = records[number]["version"]["stet"]
        if own:
            path = trajectory.path_to(UUID(own["segment"]), own["length"])
            for piece in path.pieces:
                if piece.length == piece.segment.length:
                    holders.setdefault(piece.segment.pk, set()).add(int(number))
    made = {correction.pk: correction for correction in trajectory.corrections}
    for number, messages in shown.items():
        told = records[number]["version"]["stet"].get("correction")
        if told is None or records[number]["inserted"]:
            continue
        within = {
            other
            for other in holders.get(made[told["id"]].segment_id, ())
            if plain(shown[str(other)][:-1]) == plain(messages[:-1])
        }
        assert not within or to_parent[int(number)] in within


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(first=answer, acts=st.lists(act, min_size=2, max_size=12))
def test_trees_pairs_and_rows(grow: Callable[..., Tree], first: Any, acts: list[Any]) -> None:
    walk = Walk(grow())
    walk.sample(*first)
    for each in acts:
        walk.do(*each)
    walk.finish()
    submission = walk.tree.submit()
    (trajectory,) = loaded(submission)
    (row,), excluded = rows_of("panda", submission)
    assert excluded == []
    document = json.loads(row["document"])
    tree = tree_of(document)
    legacy = tree.build_legacy_data_v1()
    accepted = plain(messages_of(trajectory, trajectory.path))
    sfts = [plain(messages) for messages in legacy["sfts"]]
    ends = [
        plain(messages_of(trajectory, trajectory.path.cut(turn.end)))
        for turn in trajectory.turns(trajectory.path)
    ]
    assert accepted in sfts
    assert all(messages in ends for messages in sfts)
    seen = {
        (tuple(plain(pair[:-2])), pair[-2]["content"], pair[-1]["content"])
        for pair in legacy["preferences"]
    }
    assert seen == pairs_of(trajectory)
    check_parents(trajectory, document, tree.to_parent)
    dialogs = {**document["dialogs"], **document["deleted_dialogs"]}
    told = {tuple(plain(dialog["messages"])) for dialog in dialogs.values()}
    for branch in trajectory.branches:
        last = trajectory.turns(branch.path)[-1:]
        if last and last[0].end == branch.path.length:
            assert tuple(plain(messages_of(trajectory, branch.path))) in told
