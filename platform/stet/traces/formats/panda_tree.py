"""The tree that the dialogs of a panda file form, as the package ``onpanda`` 0.1.7 makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .base import Message, PandaFile
from .panda import parent_of
from .panda_hashes import canonical

Nested = dict[int, "Nested"]


@dataclass(frozen=True, slots=True)
class PandaTree:
    """Dialogs that end in an answer: their parents, and which of them are good."""

    to_parent: dict[int, int | None]
    good: list[int]

    @property
    def trees(self) -> Nested:
        """Children by parent, nested, from the roots down."""
        nodes: dict[int, Nested] = {key: {} for key in self.to_parent}
        roots: Nested = {}
        for key, parent in self.to_parent.items():
            (roots if parent is None else nodes[parent])[key] = nodes[key]
        return roots


def panda_tree(file: PandaFile) -> PandaTree:
    """The tree; where the package finds no good dialog by default, the newest answer is good."""
    answered = [
        key
        for key, dialog in file.dialogs.items()
        if dialog.messages and dialog.messages[-1]["role"] == "assistant"
    ]
    to_parent: dict[int, int | None] = {}
    for key in answered:
        operations = file.dialogs[key].operations
        parent = None if _is_root(operations) else parent_of(operations)
        # A parent that is deleted, unanswered or has a larger number makes a root.
        to_parent[key] = parent if parent in to_parent else None
    newest = max(file.dialogs)
    good = [
        key
        for key in answered
        if file.dialogs[key].is_good or (file.dialogs[key].is_good is None and key == newest)
    ]
    if not good:
        good = [key for key in answered if file.dialogs[key].is_good is None][-1:]
    return PandaTree(to_parent, good)


def prompt_of(messages: list[Message]) -> list[Message]:
    """The messages without the assistant's at the end."""
    end = len(messages)
    while end and messages[end - 1].get("role") == "assistant":
        end -= 1
    return messages[:end]


def prompt_key(messages: list[Message]) -> str:
    """Equal for conversations that answer the same prompt."""
    return canonical(prompt_of(messages))


def _is_root(operations: list[dict[str, Any]]) -> bool:
    if not operations:
        return True
    first = operations[0]
    born_alone = first.get("is_new_generated") or first.get("is_prompt_modified")
    return bool(born_alone) or not parent_of(operations)
