"""An episode's versions in neutral words: what a panda file is written from and restored to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy

from stet.common.errors import Invalid

Message = dict[str, Any]


class NotExportable(Invalid):
    code, title = "panda_not_possible", gettext_lazy("This cannot be written as a panda file")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The candidate that a person picked; ``token`` None means that the answer ends here."""

    token: str | None
    logprob: float | None = None
    bytes: list[int] | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """The token that was replaced.

    ``index`` counts tokens of the answer, ``unicode_start_index`` code points before the token.
    """

    token: str
    index: int
    unicode_start_index: int
    logprob: float | None = None


@dataclass(frozen=True, slots=True)
class PandaVersion:
    """One version of the conversation: a branch to its tip, or a turn's end on the way.

    ``messages`` follow the prompt of the export and end in the answer. ``parent_key`` names the
    version that was continued, corrected or followed by a turn. ``operation`` is the word of the
    format: generate_new, continue_generating, continue_with_chosen, continue_with_input,
    edit_selection, start_new_round, ... ``is_good`` None means: good if a good version goes on
    from its end, else not. ``finish_reason`` is put on the last message. ``stet`` is whatever the
    format cannot hold: ids, origins, ranks, digests. ``raw`` is a dialog that came from a panda
    file and goes back as it is under its ``number``; then ``messages`` are the whole conversation,
    and the other fields only describe it.
    """

    key: str
    messages: list[Message]
    operation: str
    parent_key: str | None = None
    is_good: bool | None = None
    finish_reason: str | None = None
    on_policy: bool = True
    time_ms: int | None = None
    chosen: Chosen | None = None
    typed: str | None = None
    rejected: Rejected | None = None
    common_prefix_length: int | None = None
    chat_config: dict[str, Any] | None = None
    tools: list[dict[str, Any]] | None = None
    stet: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, Any] | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class PandaExport:
    """One panda file: a prompt, tools that hold unless a version has its own, and the versions.

    ``hash_map``, ``deleted`` (by dialog key) and ``extra`` (further keys of the document) are
    what an imported file held beside its dialogs; ``update_time`` is in milliseconds.
    """

    uuid: str | None
    prompt: list[Message]
    versions: list[PandaVersion]
    tools: list[dict[str, Any]] | None = None
    update_time: int | None = None
    stet: dict[str, Any] = field(default_factory=dict)
    hash_map: dict[str, Any] = field(default_factory=dict)
    deleted: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
