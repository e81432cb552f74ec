"""A version with its place in a panda file, and how versions are compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from stet.traces.formats.panda_hashes import canonical
from stet.traces.formats.panda_tree import prompt_of

from .panda_description import Message, PandaVersion

_BESIDE = ("tool_calls", "reasoning", "reasoning_content")


@dataclass
class Planned:
    """A version with its place in the file.

    ``parent`` is where it came from, ``anchor`` what it stands below in the tree of the file,
    ``alone`` a root whose good partner stands in another tree.
    """

    version: PandaVersion
    messages: list[Message]
    number: int = 0
    is_good: bool = False
    inserted: bool = False
    parent: Planned | None = None
    anchor: Planned | None = None
    set_aside: str = ""
    alone: bool = False

    @cached_property
    def said(self) -> str:
        """Compares conversations; how an answer ended is not part of what was said."""
        return said(self.messages)

    @cached_property
    def prompt(self) -> str:
        """Compares prompts."""
        return said(prompt_of(self.messages))

    @property
    def answered(self) -> bool:
        return bool(self.messages) and self.messages[-1].get("role") == "assistant"

    @property
    def finish(self) -> str | None:
        return self.version.finish_reason or self.messages[-1].get("finish_reason")

    @property
    def text(self) -> str | None:
        """The text of the answer, None if there is none or it is made of parts."""
        content = self.messages[-1].get("content") if self.answered else None
        return content if isinstance(content, str) else None

    @property
    def plain_text(self) -> str | None:
        """The text of an answer that consists of nothing else."""
        beside = any(self.messages[-1].get(key) for key in _BESIDE) if self.answered else True
        return None if beside else self.text


def said(messages: list[Message]) -> str:
    """The text by which messages are compared, whatever their finish reasons."""
    return canonical(
        [
            {key: value for key, value in message.items() if key != "finish_reason"}
            for message in messages
        ]
    )


def common_length(one: str, other: str) -> int:
    """How many code points two texts share from their start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        # Slices are compared in one go, characters one by one.
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
