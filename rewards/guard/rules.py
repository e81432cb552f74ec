"""Rules, and what a set of them decides about a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rewards.guard.events import Event, event
from stet.traces.steps import Call

HEAD = 2**16
WORDS = re.compile(r"[a-z]+|<\w+>")
ORDER = ("allow", "warn", "ask", "block")
# What may be done instead, by the token of the pattern that says most.
ALTERNATIVES = (
    (
        "repeated=yes",
        "Use the result of the earlier call; repeat it only if that is asked for.",
    ),
    ("after_failed_validation=yes", "Mend what failed and check it again first."),
    ("path=tests", "Change what is tested, and leave the test as it is."),
    ("path=secrets", "Go on without it, or ask the user for what you need."),
    ("address=unnamed", "Send it only to those whom the task names."),
    ("arg.replace=yes", "Choose another one that is free, or ask the user."),
    ("destructive=yes", "Leave it as it is, or ask the user."),
    ("outside=yes", "Act only on what the task names, or ask the user."),
)
OTHERWISE = "Do what the task asks for in another way, or ask the user."


def words_of(instruction: str) -> frozenset[str]:
    """The words of an instruction, names replaced by their kind."""
    text = re.sub(r"\S*@\S+", " <address> ", instruction[:HEAD].lower())
    text = re.sub(r"\S*/\S+", " <path> ", text)
    text = re.sub(r"\S*\d\S*", " <number> ", text)
    return frozenset(WORDS.findall(text))


@dataclass(frozen=True, slots=True)
class Trigger:
    """Matches an instruction with one of ``any`` (or whatever, if it is empty) and none of
    ``none``."""

    any: frozenset[str] = frozenset()
    none: frozenset[str] = frozenset()

    def matches(self, words: frozenset[str]) -> bool:
        return (not self.any or bool(self.any & words)) and not self.none & words


@dataclass(frozen=True, slots=True)
class Rule:
    """A prohibition: where ``trigger`` matches, a call whose event has all of ``pattern`` is met
    with ``action`` (block, ask or warn).

    ``support`` counts the anomalous calls it was mined from, ``lift`` is P(anomalous | pattern) /
    P(anomalous), ``precision`` that on the groups which it was not mined from (None where it was
    met in none); ``provenance`` names the runs.
    """

    id: str
    pattern: frozenset[str]
    trigger: Trigger = field(default_factory=Trigger)
    action: str = "block"
    family: str = ""
    support: int = 0
    lift: float = 0.0
    precision: float | None = None
    provenance: tuple[str, ...] = ()

    def meets(self, found: Event, words: frozenset[str]) -> bool:
        return self.pattern <= found and self.trigger.matches(words)

    @property
    def message(self) -> str:
        """Why a call is not let through, in words that a policy can use."""
        return f"This call is not allowed here ({', '.join(sorted(self.pattern))})."

    @property
    def alternative(self) -> str:
        """What may be done instead."""
        return next((text for token, text in ALTERNATIVES if token in self.pattern), OTHERWISE)


@dataclass(frozen=True, slots=True)
class Decision:
    """``allow``, ``warn``, ``ask`` or ``block``, the rules that said so, and the way out."""

    decision: str
    rules: tuple[str, ...] = ()
    message: str = ""
    alternative: str = ""


ALLOWED = Decision("allow")


class RuleSet:
    """Rules ready to be asked; ``always_on`` leaves the triggers out (a control)."""

    def __init__(self, rules: Iterable[Rule], *, always_on: bool = False) -> None:
        plain = list(rules)
        if always_on:
            none = Trigger()
            plain = [Rule(one.id, one.pattern, none, one.action, one.family) for one in plain]
        self.rules = tuple(sorted(plain, key=lambda one: -ORDER.index(one.action)))

    def active(self, instruction: str) -> list[Rule]:
        """The rules whose trigger matches."""
        words = words_of(instruction)
        return [one for one in self.rules if one.trigger.matches(words)]

    def check(self, instruction: str, history: Sequence[Call], call: Call) -> Decision:
        """What to do about a call before it is made; the strictest rule that is met decides."""
        return self.decide(Asked(instruction, history, call))

    def decide(self, asked: Asked) -> Decision:
        """The same of what other sets are asked about too."""
        active = [one for one in self.rules if one.trigger.matches(asked.words)]
        met = [one for one in active if one.pattern <= asked.event]
        if not met:
            return ALLOWED
        first = met[0]
        ids = tuple(one.id for one in met)
        return Decision(first.action, ids, first.message, first.alternative)


@dataclass(frozen=True)
class Asked:
    """A call that is to be made; what rules look at is read once, and only where one does."""

    instruction: str
    history: Sequence[Call]
    call: Call

    @cached_property
    def words(self) -> frozenset[str]:
        return words_of(self.instruction)

    @cached_property
    def event(self) -> Event:
        return event(self.call, self.history, self.instruction)
