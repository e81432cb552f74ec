"""Whatever tree people make, the package finds exactly its abandoned and accepted branches."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stet.traces.formats.base import PandaFile
from stet.traces.formats.panda import FORMAT
from training.targets.panda import (
    Chosen,
    PandaExport,
    PandaVersion,
    Rejected,
    dialogs_to_panda,
    panda_to_export,
)

from .panda_package import tree_of, view

# Few tokens, so that branches often begin alike; some are parts of one visible character.
TOKENS = [
    "a",
    " b",
    "語",
    "👩",
    "\u200d",
    "🔬",
    "🏽",
    "e\u0301",
    "\n",
    '"',
    "\\",
    "<|hash|>a=",
    "{",
]
answers = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5)
finishes = st.sampled_from(["stop", "stop", "length", None])


@dataclass
class Node:
    """A version in the making: ids into TOKENS stand for the answer of its turn."""

    key: str
    said: list[dict[str, Any]]
    answer: list[str]
    finish: str | None
    parent: Node | None = None
    asked: bool = False
    operation: dict[str, Any] = field(default_factory=dict)
    corrected: bool = False

    @property
    def text(self) -> str:
        return "".join(self.answer)

    @property
    def before(self) -> str:
        return json.dumps(self.said)

    def version(self, parent: Node | None, *, accepted: bool) -> PandaVersion:
        return PandaVersion(
            key=self.key,
            messages=[*self.said, {"role": "assistant", "content": self.text}],
            parent_key=parent.key if parent else None,
            is_good=True if accepted else None,
            finish_reason=self.finish,
            stet={"ids": [TOKENS.index(token) for token in self.answer]},
            **self.operation,
        )


def corrected(draw: st.DrawFn, key: str, node: Node) -> Node:
    at = draw(st.integers(0, len(node.answer) - 1))
    token = draw(st.sampled_from([one for one in TOKENS if one != node.answer[at]]))
    rest = draw(st.lists(st.sampled_from(TOKENS), max_size=4))
    rejected = Rejected(node.answer[at], at, len("".join(node.answer[:at])), -0.5)
    operation: dict[str, Any] = {"operation": "continue_with_input", "typed": token}
    if draw(st.booleans()):
        operation = {"operation": "continue_with_chosen", "chosen": Chosen(token, -1.5)}
    node.corrected = True
    return Node(
        key,
        node.said,
        [*node.answer[:at], token, *rest],
        draw(finishes),
        node,
        operation={**operation, "rejected": rejected},
    )


@st.composite
def episodes(draw: st.DrawFn) -> tuple[list[Node], Node]:
    """All versions in the order of their making, and the accepted one."""
    nodes = [Node("n0", [], draw(answers), draw(finishes), operation={"operation": "generate_new"})]
    for number in range(1, draw(st.integers(1, 8))):
        node = draw(st.sampled_from(nodes))
        if draw(st.integers(0, 3)):
            nodes.append(corrected(draw, f"n{number}", node))
            continue
        node.finish = "stop"
        said = [
            *node.said,
            {"role": "assistant", "content": node.text},
            {"role": "user", "content": f"{number} {draw(st.sampled_from(TOKENS))}"},
        ]
        operation = {"operation": "start_new_round"}
        nodes.append(Node(f"n{number}", said, draw(answers), draw(finishes), node, True, operation))
    return nodes, draw(st.sampled_from(nodes))


def way_to(node: Node) -> list[Node]:
    """The accepted answer of each turn, from the last turn up."""
    ends, step = [node], node
    while step.parent is not None:
        if step.asked:
            ends.append(step.parent)
        step = step.parent
    return ends


def teaches_an_end_that_nobody_judged(node: Node, end: Node) -> bool:
    return (
        node.text == end.text
        or (end.text.startswith(node.text) and node.finish != "stop")
        or (node.text.startswith(end.text) and end.finish != "stop")
    )


def meant(nodes: list[Node], accepted: Node) -> set[tuple[str, str, str]]:
    """Conversation before the answer, rejected key, text of the chosen answer."""
    ends = way_to(accepted)
    return {
        (end.before, node.key, end.text)
        for end in ends
        for node in nodes
        if node.before == end.before and node not in ends
        if not teaches_an_end_that_nobody_judged(node, end)
    }


def file_of(document: dict[str, Any]) -> PandaFile:
    (file,) = FORMAT.read(json.dumps(document, ensure_ascii=False).encode())
    assert isinstance(file, PandaFile), file
    return file


def check(export: PandaExport, nodes: list[Node], accepted: Node) -> None:
    document = dialogs_to_panda(export)
    tree = tree_of(document)
    dialogs = tree.data["dialogs"]
    keys = {int(n): one["version"]["key"] for n, one in document["stet"]["dialogs"].items()}
    found = [
        (
            json.dumps(
                [
                    {key: value for key, value in message.items() if key != "finish_reason"}
                    for message in dialogs[chosen]["messages"][len(export.prompt) : -1]
                ]
            ),
            keys[rejected],
            dialogs[chosen]["messages"][-1]["content"],
        )
        for rejected, chosen in tree.fork_pairs
    ]
    assert len(found) == len(set(found))
    assert set(found) == meant(nodes, accepted)
    assert tree.outcome_pairs == []
    for rejected, chosen in tree.fork_pairs:
        assert dialogs[rejected]["messages"][:-1] == dialogs[chosen]["messages"][:-1]
    assert all(
        (parent or 0) < number and dialogs[number]["operations"][0]["parent"]
        for number, parent in tree.to_parent.items()
    )
    seen = view(document)
    assert seen["printed"] == ""
    assert len(seen["legacy"]["preferences"]) == len(found)
    assert len(seen["token_level_v1"]["unicode"]["content_only"]) == len(found)
    assert panda_to_export(file_of(document)) == export


PROMPT = [{"role": "system", "content": "語<|hash|>"}, {"role": "user", "content": "<|hash|>a="}]


@settings(max_examples=100, deadline=None)
@given(episodes())
def test_the_pairs_are_those_of_the_tree(made: tuple[list[Node], Node]) -> None:
    nodes, accepted = made
    versions = [node.version(node.parent, accepted=node is accepted) for node in nodes]
    check(PandaExport("random", PROMPT, versions), nodes, accepted)


@settings(max_examples=100, deadline=None)
@given(episodes(), st.data())
def test_the_pairs_are_the_same_when_only_tips_are_told(
    made: tuple[list[Node], Node], data: st.DataObject
) -> None:
    nodes, accepted = made
    inner = [end for end in way_to(accepted)[1:] if not end.corrected and end.parent]
    left_out = [end for end in inner if data.draw(st.booleans())]
    versions = []
    for node in nodes:
        parent = node.parent
        while parent in left_out:
            assert parent is not None
            parent = parent.parent
        if node not in left_out:
            versions.append(node.version(parent, accepted=node is accepted))
    told = [node for node in nodes if node not in left_out]
    check(PandaExport("tips", PROMPT, versions), told, accepted)
