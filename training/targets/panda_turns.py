"""Earlier turns of accepted conversations: good too, and told where a partner is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .panda_description import PandaVersion
from .panda_planned import Planned, said


def mark_good(every: list[Planned]) -> None:
    """Good is what the caller says, and where nothing is said what a good version goes on from.

    One version a turn: another with the same text is another branch, unless there is no other.
    """
    by_key = {one.version.key: one for one in every}
    by_text: dict[str, list[Planned]] = {}
    for one in every:
        one.is_good = bool(one.version.is_good)
        by_text.setdefault(one.said, []).append(one)
    for accepted in [one for one in every if one.version.is_good]:
        line = _line_of(accepted, by_key)
        for end in _turn_ends(accepted, 0):
            same = by_text.get(said(accepted.messages[: end + 1]), [])
            left_open = [one for one in same if one.version.is_good is None]
            if left_open and not any(one.is_good for one in same):
                own = (one for one in left_open if one.version.key in line)
                next(own, left_open[0]).is_good = True


def _line_of(one: Planned, by_key: dict[str, Planned]) -> set[str]:
    """The keys of a version and its ancestors."""
    line: set[str] = set()
    step: Planned | None = one
    while step is not None and step.version.key not in line:
        line.add(step.version.key)
        step = by_key.get(step.version.parent_key or "")
    return line


def with_turn_ends(every: list[Planned], prompt_length: int) -> list[Planned]:
    """Adds the accepted answer of an earlier turn where an abandoned one would lack its partner."""
    known = {one.said for one in every}
    keys = {one.version.key for one in every}
    abandoned = {one.prompt for one in every if not one.is_good}
    prompts = {one.version.key: one.prompt for one in every}
    complete: list[Planned] = []
    for one in every:
        fork = prompts.get(one.version.parent_key or "")
        ends = _turn_ends(one, prompt_length) if one.is_good and one.version.raw is None else ()
        for end in ends:
            added = Planned(one.version, one.messages[: end + 1], is_good=True, inserted=True)
            if added.said in known or added.prompt not in abandoned:
                continue
            known.add(added.said)
            key = _free_key(f"{one.version.key}#{end}", keys)
            added.version = _turn_end(added, key, prompt_length, forked=fork == added.prompt)
            if fork == added.prompt:
                one.version = replace(one.version, chosen=None, typed=None, rejected=None)
            one.version = replace(one.version, parent_key=key, operation="start_new_round")
            complete.append(added)
        complete.append(one)
    return complete


def _turn_end(added: Planned, key: str, prompt_length: int, *, forked: bool) -> PandaVersion:
    """The description of an added turn's end; a correction made in that turn belongs to it."""
    whole = added.version
    version = replace(
        whole,
        key=key,
        messages=added.messages[prompt_length:],
        finish_reason=None if "finish_reason" in added.messages[-1] else "stop",
        stet={},
    )
    if forked:
        return version
    return replace(version, operation="auto", chosen=None, typed=None, rejected=None)


def _turn_ends(one: Planned, start: int) -> Iterator[int]:
    """Indices of answers after which the conversation goes on with somebody else."""
    roles = [message.get("role") for message in one.messages]
    for index in range(start, len(roles) - 1):
        if roles[index] == "assistant" != roles[index + 1]:
            yield index


def _free_key(key: str, keys: set[str]) -> str:
    while key in keys:
        key += "#"
    keys.add(key)
    return key
