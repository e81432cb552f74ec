"""Chat templates: messages to exactly the ids that the model server makes of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from django.utils.translation import gettext as _

from stet.common.errors import StetError
from stet.policies.channels.base import channels_of
from stet.policies.template_engine import chat_environment, wants_parts
from stet.policies.template_messages import (
    SYSTEM_ROLES,
    bad_message,
    one_system,
    server_message,
)
from stet.policies.template_slots import (
    CLOSE,
    Part,
    Slot,
    Where,
    changed,
    fence_for,
    is_said,
    keys,
    leaves,
    owned,
    replaced,
    ways,
)
from stet.policies.tokenizer import Tokenizer, folder_state, load_tokenizer

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MessageSpan:
    """Tokens [start, end) of what a message itself says: its content, reasoning and tool calls."""

    role: str
    index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rendered:
    ids: list[int]
    spans: list[MessageSpan]
    system_in_force: str | None
    """The template's own system text, where the messages bring none."""


class ChatTemplate:
    """The template of a model folder, with strings of the messages always as plain text.

    A message keeps the fields that the model server keeps. Tokens flagged special are the ones
    that the template itself writes.
    """

    def __init__(self, source: str, tokenizer: Tokenizer) -> None:
        """StetError `bad_template` when the source does not compile."""
        self.sha256 = hashlib.sha256(source.encode()).hexdigest()
        self.tokenizer = tokenizer
        environment = chat_environment()
        try:
            self._template = environment.from_string(source)
            self._in_parts = wants_parts(environment.parse(source))
        except jinja2.TemplateError as error:
            raise StetError(
                _("The chat template does not compile: %(fault)s") % {"fault": error},
                code="bad_template",
                status=422,
            ) from error
        self.channels = channels_of(tokenizer.added, source)
        self._knows_developer = "'developer'" in source or '"developer"' in source
        names = sorted(tokenizer.special.values(), key=len, reverse=True)
        self._specials = re.compile("|".join(map(re.escape, filter(None, names))) or r"(?!)")
        self._ids = {name: i for i, name in tokenizer.special.items()}

    @classmethod
    def load(cls, folder: Path, tokenizer: Tokenizer) -> ChatTemplate:
        """chat_template.jinja, else the one in tokenizer_config.json; else `no_chat_template`."""
        path = folder / "chat_template.jinja"
        if path.exists():
            return cls(path.read_text(encoding="utf-8"), tokenizer)
        config = folder / "tokenizer_config.json"
        found = json.loads(config.read_bytes()).get("chat_template") if config.exists() else None
        if isinstance(found, list):
            found = {entry["name"]: entry["template"] for entry in found}.get("default")
        if not isinstance(found, str):
            raise StetError(
                _("The model folder holds no chat template."), code="no_chat_template", status=422
            )
        return cls(found, tokenizer)

    def render(
        self, messages: Sequence[Message], tools: Sequence[Message] | None = None
    ) -> Rendered:
        """The prompt with the generation prompt; StetError 422 says what cannot be rendered."""
        chat = self._prepared(messages)
        parts = self._compose(chat, tools, first=0)
        parts = self._own_tool_calls(parts, chat, tools, first=0)
        return self._encoded(parts, chat, self._default_system(chat, tools), lead=None)

    def turn(
        self,
        before: Sequence[Message],
        new: Sequence[Message],
        *,
        ended: bool,
        tools: Sequence[Message] | None = None,
    ) -> Rendered:
        """What follows a sampled assistant turn, its end token excluded when `ended`.

        `before` may leave the sampled turn out; what it says is never rendered. Token positions
        count from the first new token, message indices over before, the sampled turn and new.
        """
        chat = self._prepared(before)
        if chat[-1]["role"] != "assistant":
            chat += self._prepared([{"role": "assistant", "content": None}])
        last = len(chat) - 1
        anchor = fence_for([*chat, *new, *(tools or ())]) + "|" + CLOSE
        sampled = {k: v for k, v in chat[last].items() if not k.startswith("reasoning")}
        chat[last] = sampled | {"content": self._content(anchor)}
        chat += self._prepared(new)
        parts = self._compose(chat, tools, first=last, anchor=anchor)
        parts = self._own_tool_calls(parts, chat, tools, first=last + 1)
        parts = self._behind(parts, anchor, last, ended=ended)
        # Encoded behind an end token, where it stands: some tokenizers begin a text differently.
        lead = next((i for i in self.tokenizer.eos_ids if self.tokenizer.is_special(i)), None)
        return self._encoded(parts, chat, None, lead=lead)

    def _behind(self, parts: list[Part], anchor: str, last: int, *, ended: bool) -> list[Part]:
        at = next((i for i, p in enumerate(parts) if anchor in str(p.piece)), None)
        if at is None:
            raise _altered(_("an assistant turn before the last one"))
        rest = parts[at + 1 :]
        for i, part in enumerate(rest):
            if part.owner not in (None, last):
                break
            if part.piece in self.tokenizer.eos_ids:
                return rest[i + 1 :] if ended else rest[i:]
        return [Part(str(parts[at].piece).split(anchor)[-1]), *rest]

    def _encoded(
        self, parts: list[Part], chat: list[dict[str, Any]], system: str | None, lead: int | None
    ) -> Rendered:
        skip = 0 if lead is None else 1
        pieces = [p.piece for p in parts]
        ids, runs = self.tokenizer.encode_pieces(pieces if lead is None else [lead, *pieces])
        bounds: dict[int, tuple[int, int]] = {}
        for part, (start, end) in zip(parts, runs[skip:], strict=True):
            if part.owner is not None and end > start:
                low, high = bounds.get(part.owner, (start, end))
                bounds[part.owner] = min(low, start), max(high, end)
        spans = [
            MessageSpan(chat[i]["role"], i, start - skip, end - skip)
            for i, (start, end) in sorted(bounds.items())
        ]
        return Rendered(ids[skip:], spans, system)

    def _compose(
        self,
        chat: list[dict[str, Any]],
        tools: Sequence[Message] | None,
        *,
        first: int,
        anchor: str | None = None,
    ) -> list[Part]:
        """The rendered text in parts, the strings of messages from `first` on as plain text."""
        tree = _tree(chat, tools)
        direct = self._text(tree)
        fence = fence_for(tree.values())
        guarded = {i for i, m in enumerate(chat) if i >= first or m["role"] in SYSTEM_ROLES} | {-1}
        wanted = [leaf for leaf in leaves(tree) if leaf[0][0] in guarded and leaf[1] != anchor]
        if any(self._specials.search(key) for i in guarded for key in keys(tree[i])):
            raise _altered(_("the name of a field"))
        choices = [
            [way if self._may_try(way) else tried[n % 2] for n, way in enumerate(tried)]
            for where, text in wanted
            if text and (is_said(where) or self._specials.search(text))
            for tried in [ways(where, text)]
        ]
        hostile = {where for where, text in wanted if self._specials.search(text)}

        def works(slots: Sequence[Slot]) -> list[Part] | None:
            parts = self._filled(tree, slots, fence)
            return parts if parts and "".join(map(self._name, parts)) == direct else None

        for slots in dict.fromkeys(zip(*choices, strict=True)) or [()]:
            if parts := works(slots):
                return parts
        # Together they do not stand; one by one, some do.
        each = [next((s for s in dict.fromkeys(c) if works([s])), None) for c in choices]
        slots = tuple(slot for slot in each if slot)
        missing = hostile - {slot.where for slot in slots}
        parts = works(slots)
        if missing or (hostile and parts is None):
            raise _altered(_place(next(iter(missing or hostile))))
        return parts or list(self._split(direct))

    def _may_try(self, slot: Slot) -> bool:
        return not (self._specials.search(slot.head) or self._specials.search(slot.tail))

    def _filled(
        self, tree: Mapping[int, Any], slots: Sequence[Slot], fence: str
    ) -> list[Part] | None:
        """The rendering with a marker for each slot, cut at markers and special tokens."""
        marks = {s.where: f"{s.head}{fence}{n}{CLOSE}{s.tail}" for n, s in enumerate(slots)}
        try:
            text = self._text(replaced(tree, (), marks))
        except StetError:
            return None
        parts: list[Part] = []
        for n, chunk in enumerate(re.split(f"{fence}([0-9]+){CLOSE}", text)):
            if n % 2:
                slot = slots[int(chunk)]
                said = slot.where[0] != -1 and slot.where[1] != "name"
                parts.append(Part(slot.shown, int(slot.where[0]) if said else None))
            else:
                parts.extend(self._split(chunk))
        return parts

    def _split(self, text: str) -> Iterator[Part]:
        at = 0
        for found in self._specials.finditer(text):
            if found.start() > at:
                yield Part(text[at : found.start()])
            yield Part(self._ids[found[0]])
            at = found.end()
        if at < len(text):
            yield Part(text[at:])

    def _name(self, part: Part) -> str:
        piece = part.piece
        return self.tokenizer.special[piece] if isinstance(piece, int) else piece

    def _own_tool_calls(
        self,
        parts: list[Part],
        chat: list[dict[str, Any]],
        tools: Sequence[Message] | None,
        *,
        first: int,
    ) -> list[Part]:
        """The parts with the text of tool calls owned: what goes when the calls are taken away."""
        calling = [i for i in range(first, len(chat)) if chat[i].get("tool_calls")]
        tree = _tree(chat, tools)
        mine = list(self._split(self._text(tree))) if calling else []
        for index in calling:
            silent = {k: v for k, v in chat[index].items() if k != "tool_calls"}
            try:
                other = list(self._split(self._text(tree | {index: silent})))
            except StetError:
                continue
            start, end = changed(mine, other, self.tokenizer.special)
            parts = list(owned(parts, start, end, index, self.tokenizer.special))
        return parts

    def default_system(
        self, messages: Sequence[Message], tools: Sequence[Message] | None = None
    ) -> str | None:
        """The template's own system text, where the messages bring none."""
        return self._default_system(self._prepared(messages), tools)

    def _default_system(
        self, chat: list[dict[str, Any]], tools: Sequence[Message] | None
    ) -> str | None:
        if any(message["role"] in SYSTEM_ROLES for message in chat):
            return None
        tree = _tree(chat, tools)
        mark = fence_for(tree.values()) + CLOSE
        marked = [{"role": "system", "content": self._content(mark)}, *chat]
        try:
            text = self._text({**dict(enumerate(marked)), -1: tree[-1]})
        except StetError:
            return None
        head, _, tail = text.partition(mark)
        direct = self._text(tree)
        fits = direct.startswith(head) and direct.endswith(tail)
        return direct[len(head) : len(direct) - len(tail)] or None if fits and tail else None

    def _prepared(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The messages with the fields and the shapes that the model server hands a template."""
        if not messages:
            raise bad_message(_("A conversation needs at least one message."))
        return [server_message(message, in_parts=self._in_parts) for message in messages]

    def _content(self, text: str) -> str | list[dict[str, str]]:
        return [{"type": "text", "text": text}] if self._in_parts else text

    def _text(self, tree: Mapping[int, Any]) -> str:
        chat = [tree[i] for i in range(len(tree) - 1)]
        if not self._knows_developer and any(m["role"] == "developer" for m in chat):
            chat = one_system(chat)
        given = {"messages": chat, "tools": tree[-1], "documents": None}
        try:
            return self._template.render(
                {**self.tokenizer.names, **given, "add_generation_prompt": True}
            )
        except Exception as error:  # a template is a program and may fail in any way
            raise StetError(
                _("The chat template refuses the messages: %(fault)s") % {"fault": error},
                code="template_refused",
                status=422,
            ) from error


def _tree(chat: Sequence[Message], tools: Sequence[Message] | None) -> dict[int, Any]:
    return {**dict(enumerate(chat)), -1: list(tools) if tools else None}


def load_chat_template(folder: Path) -> ChatTemplate:
    """`ChatTemplate.load` with the folder's tokenizer, kept until a file of the folder changes."""
    return _kept(folder.resolve(), *folder_state(folder))


@lru_cache(maxsize=8)
def _kept(folder: Path, *state: int) -> ChatTemplate:
    return ChatTemplate.load(folder, load_tokenizer(folder))


def _altered(place: str) -> StetError:
    return StetError(
        _(
            "The chat template alters %(place)s, so a special token's name cannot be kept as text "
            "there. Remove the name from the text, or use another template."
        )
        % {"place": place},
        code="template_alters_text",
        status=422,
    )


def _place(where: Where) -> str:
    if where[0] == -1:
        return _("a tool")
    return _("the %(field)s of message %(number)d") % {
        "field": where[1],
        "number": int(where[0]) + 1,
    }
