"""Decides numbers, parents and flags so that a panda file yields the pairs that were meant."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from stet.traces.formats.panda_hashes import canonical
from stet.traces.formats.panda_tree import prompt_of

from .panda_description import Message, NotExportable, PandaExport, PandaVersion
from .panda_planned import Planned, common_length
from .panda_turns import mark_good, with_turn_ends

# These change the prompt; all other operations carry on from a version with the same one.
_NEW_PROMPT = ("start_new_round", "run_tool_calls", "reject_tool_calls", "edit_prompt")


def plan(export: PandaExport) -> list[Planned]:
    """Versions in the order of their numbers, parents first; raises NotExportable."""
    dialogs_first = sorted(export.versions, key=lambda version: version.raw is None)
    every = [Planned(v, whole_messages(export, v)) for v in dialogs_first]
    for one in every:
        _check(one)
    mark_good(every)
    every = _in_order(with_turn_ends(every, len(export.prompt)))
    _number(every, export)
    for one in every:
        one.set_aside = _why_aside(one, every)
    for position, one in enumerate(every):
        one.anchor = _anchor(one, every[:position])
    _mark_alone(every)
    return every


def whole_messages(export: PandaExport, version: PandaVersion) -> list[Message]:
    """The conversation from its first message; a dialog of a file brings its own prompt."""
    return version.messages if version.raw is not None else [*export.prompt, *version.messages]


def _check(one: Planned) -> None:
    key = one.version.key
    if one.version.raw is not None:
        if one.version.number is None:
            raise NotExportable(_("Version %(key)s came without its number.") % {"key": key})
        return
    if not one.messages or one.messages[0].get("role") == "assistant":
        raise NotExportable(_("Version %(key)s has no prompt.") % {"key": key})
    if one.version.is_good and one.messages[-1].get("role") != "assistant":
        raise NotExportable(_("Version %(key)s is good but has no answer.") % {"key": key})
    if one.version.finish_reason is not None and "finish_reason" in one.messages[-1]:
        raise NotExportable(_("Version %(key)s says twice how it ended.") % {"key": key})


def _in_order(every: list[Planned]) -> list[Planned]:
    """Parents before children, else as given; sets ``parent``."""
    by_key = {one.version.key: one for one in every}
    if len(by_key) != len(every):
        raise NotExportable(_("Two versions have the same key."))
    ordered: dict[str, Planned] = {}
    for one in every:
        waiting: dict[str, Planned] = {}
        step: Planned | None = one
        while step is not None and step.version.key not in ordered:
            if step.version.key in waiting:
                raise NotExportable(_("The versions are their own ancestors."))
            waiting[step.version.key] = step
            step.parent = _parent(step, by_key)
            step = step.parent
        ordered.update(reversed(waiting.items()))
    return list(ordered.values())


def _parent(one: Planned, by_key: dict[str, Planned]) -> Planned | None:
    parent_key = one.version.parent_key
    # A dialog from a file may name one that is gone, or a later one: it goes back as it is.
    if parent_key is None or parent_key == one.version.key or one.version.raw is not None:
        return None
    if parent_key not in by_key:
        names = {"key": one.version.key, "parent": parent_key}
        raise NotExportable(_("Version %(key)s comes from %(parent)s, which is not here.") % names)
    return by_key[parent_key]


def _number(every: list[Planned], export: PandaExport) -> None:
    """Dialogs of a file keep their numbers; the others get larger ones, parents before children."""
    taken = [one.version.number or 0 for one in every if one.version.raw is not None]
    taken += [int(key) for key in export.deleted]
    following = max(taken, default=0)
    for one in every:
        if one.version.raw is not None:
            one.number = one.version.number or 0
        else:
            following += 1
            one.number = following


def _why_aside(one: Planned, every: Iterable[Planned]) -> str:
    """Why pairing this abandoned version would teach something that nobody judged, else ""."""
    text = one.plain_text
    if one.version.raw is not None or one.is_good or text is None:
        return ""
    partners = [
        (other, accepted)
        for other in every
        if other.is_good and other.prompt == one.prompt
        if (accepted := other.plain_text) is not None
    ]
    nearest = max((common_length(text, accepted) for _other, accepted in partners), default=0)
    for other, accepted in partners:
        if common_length(text, accepted) < nearest:
            continue
        if text == accepted:
            return "same_text"
        if accepted.startswith(text) and one.finish != "stop":
            return "unfinished"
        if text.startswith(accepted) and other.finish != "stop":
            return "accepted_unfinished"
    return ""


def _anchor(one: Planned, earlier: list[Planned]) -> Planned | None:
    """The version of the same prompt below which this one stands in the tree of the file."""
    version = one.version
    if version.raw is not None or version.operation == "generate_new" or one.parent is None:
        return None
    step = one.parent
    while True:
        if _holds(step, one):
            return step
        if step.parent is None:
            break
        step = step.parent
    if version.operation.startswith(_NEW_PROMPT):
        return None
    return next((other for other in earlier if _holds(other, one)), None)


def _holds(other: Planned, one: Planned) -> bool:
    if other.set_aside or other.prompt != one.prompt or not other.answered:
        return False
    if canonical(prompt_of(other.messages)) != canonical(prompt_of(one.messages)):
        names = {"one": other.version.key, "two": one.version.key}
        raise NotExportable(_("Versions %(one)s and %(two)s end earlier turns otherwise.") % names)
    return True


def _mark_alone(every: list[Planned]) -> None:
    """Roots of a new round whose good partner stands in another tree.

    The package pairs such a tree only if its root does not count as a changed prompt.
    """
    root_of: dict[int, int] = {}
    good: dict[str, set[int]] = {}
    for one in every:
        root_of[one.number] = root_of[one.anchor.number] if one.anchor else one.number
        if one.is_good and not one.set_aside:
            good.setdefault(one.prompt, set()).add(root_of[one.number])
    for one in every:
        roots = good.get(one.prompt, set())
        one.alone = one.anchor is None and bool(roots) and one.number not in roots
