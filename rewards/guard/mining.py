"""Rules from abnormal runs: frequent conjunctions of event tokens that normal calls seldom have.

A pattern is kept by its support, its lift and its precision; then words of the instruction are
sought that tell where it holds. Half of the groups are mined, the other half measures.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from rewards.guard.events import Event, events
from rewards.guard.rules import Rule, Trigger, words_of
from stet.traces.steps import Run

LONGEST = 3
BEAM = 400


@dataclass(frozen=True)
class Labelled:
    """A run, and its anomalous calls by ordinal with their types; ``group`` is what splits keep
    together (a task, a repository)."""

    run: Run
    anomalies: dict[int, str] = field(default_factory=dict)
    group: str = ""
    name: str = ""


@dataclass(frozen=True)
class Limits:
    """``support`` anomalous calls at least, ``lift`` and ``precision`` at least, ``rules`` at most,
    ``spared`` the share of anomalous calls that a word of an exception may cost."""

    support: int = 5
    lift: float = 2.0
    precision: float = 0.8
    rules: int = 40
    spared: float = 0.1


@dataclass(frozen=True)
class Case:
    """One call: its event, the words of its instruction, whether and how it was anomalous."""

    found: Event
    words: frozenset[str]
    type: str
    group: str
    run: str


def cases_of(runs: Iterable[Labelled]) -> list[Case]:
    return [
        Case(
            found,
            words_of(one.run.instruction),
            one.anomalies.get(call.ordinal, ""),
            one.group,
            one.name,
        )
        for one in runs
        for call, found in events(one.run)
    ]


def mine(
    abnormal: Sequence[Labelled], normal: Sequence[Labelled], limits: Limits = Limits()
) -> list[Rule]:
    """Rules against the anomalies of ``abnormal``, those that stop most first.

    Patterns are sought in each half of the groups and measured in the other one, with the triggers
    of the half that they come from; what was not precise there is dropped. The triggers of the
    others are then sought anew in all runs.
    """
    cases = cases_of([*abnormal, *normal])
    held = _held_out({case.group for case in cases})
    halves = [[one for one in cases if (one.group in held) is half] for half in (False, True)]
    folds = [(halves[0], halves[1]), (halves[1], halves[0])] if held else [(cases, [])]
    measured: dict[tuple[str, frozenset[str]], list[bool]] = {}
    for learn, check in folds:
        for family in _types(learn):
            for rule in _of_type(family, learn, limits):
                met = [bool(one.type) for one in check if rule.meets(one.found, one.words)]
                if not met or sum(met) / len(met) >= limits.precision:
                    measured.setdefault((family, rule.pattern), []).extend(met)
    kept = []
    for (family, pattern), met in measured.items():
        found, _score = _rule(pattern, family, cases, limits)
        if found is not None:
            precision = sum(met) / len(met) if met else None
            kept.append(_described(found, cases, precision))
    return _needed(kept, cases, limits)


def _types(cases: Iterable[Case]) -> list[str]:
    return [name for name, _count in Counter(c.type for c in cases if c.type).most_common()]


def _held_out(groups: set[str]) -> set[str]:
    """Every second group, in an order that has nothing to do with their names."""
    return set(sorted(groups, key=lambda one: hashlib.sha256(one.encode()).digest())[1::2])


def _of_type(family: str, cases: Sequence[Case], limits: Limits) -> list[Rule]:
    """Rules against one type of anomaly, the most general ones that are precise."""
    rules: list[Rule] = []
    bad = [case for case in cases if case.type == family]
    level = [frozenset([token]) for token in _frequent(bad, limits)]
    for size in range(2, LONGEST + 2):
        scored = []
        for pattern in level:
            if any(rule.pattern <= pattern for rule in rules):
                continue
            rule, score = _rule(pattern, family, cases, limits)
            scored.append((score, pattern))
            if rule is not None:
                rules.append(rule)
        best = [pattern for _score, pattern in sorted(scored, key=_best_first)[:BEAM]]
        longer = {a | b for a, b in combinations(best, 2) if len(a | b) == size}
        level = sorted(longer, key=sorted)
    return rules


def _rule(
    pattern: frozenset[str], family: str, cases: Sequence[Case], limits: Limits
) -> tuple[Rule | None, float]:
    """The rule of a pattern, None where it is too rare or too often wrong; and how promising it is
    as a part of longer ones: precision times support. Other anomalies count for neither side."""
    met = [case for case in cases if pattern <= case.found]
    hits = [case for case in met if case.type == family]
    wrong = [case for case in met if not case.type]
    if len(hits) < limits.support:
        return None, 0.0
    trigger = _trigger(hits, wrong, cases, limits)
    right = sum(trigger.matches(case.words) for case in hits)
    precision = right / max(right + sum(trigger.matches(case.words) for case in wrong), 1)
    bad = sum(case.type == family for case in cases)
    lift = precision * (bad + sum(not case.type for case in cases)) / bad
    if right < limits.support or precision < limits.precision or lift < limits.lift:
        return None, precision * right
    name = hashlib.sha256(" ".join(sorted(pattern)).encode()).hexdigest()[:8]
    return Rule(f"{family}-{name}", pattern, trigger, family=family, lift=lift), precision * right


def _best_first(scored: tuple[float, frozenset[str]]) -> tuple[float, list[str]]:
    return -scored[0], sorted(scored[1])


def _frequent(bad: Sequence[Case], limits: Limits) -> list[str]:
    counts = Counter(token for case in bad for token in case.found)
    return sorted(token for token, count in counts.items() if count >= limits.support)


def _trigger(
    hits: Sequence[Case], wrong: Sequence[Case], cases: Sequence[Case], limits: Limits
) -> Trigger:
    """Words that excuse a call (frequent where it was right, rare where it was wrong), and words
    that such tasks have: each one needed, together in every task of ``hits``."""
    said = Counter(word for case in hits for word in case.words)
    excused = Counter(word for case in wrong for word in case.words)
    none: set[str] = set()
    left = list(wrong)
    while left:
        counts = Counter(word for case in left for word in case.words)
        worth = [
            (count - said[word] * len(wrong) / max(len(hits), 1), word)
            for word, count in counts.items()
            if said[word] <= limits.spared * len(hits) and excused[word] >= 2
        ]
        gain, word = max(worth, default=(0.0, ""))
        if gain <= 0:
            break
        none.add(word)
        left = [case for case in left if word not in case.words]
    return Trigger(_needed_words(hits, cases, none), frozenset(none))


def _needed_words(hits: Sequence[Case], cases: Sequence[Case], none: set[str]) -> frozenset[str]:
    """A cover of the instructions by the words that are rarest elsewhere."""
    everywhere = Counter(word for case in cases for word in case.words)
    left = [case for case in hits if not none & case.words]
    chosen: set[str] = set()
    while left:
        counts = Counter(word for case in left for word in case.words)
        word = max(counts, key=lambda one: (counts[one] ** 2 / everywhere[one], one))
        chosen.add(word)
        left = [case for case in left if word not in case.words]
    return frozenset(chosen)


def _described(rule: Rule, cases: Sequence[Case], precision: float | None) -> Rule:
    met = [case for case in cases if case.type and rule.meets(case.found, case.words)]
    runs = tuple(sorted({case.run for case in met if case.run}))
    return replace(rule, support=len(met), precision=precision, provenance=runs)


def _needed(rules: Sequence[Rule], cases: Sequence[Case], limits: Limits) -> list[Rule]:
    """Rules in the order of what each adds to those before it; what adds nothing is left out."""
    left = {at for at, case in enumerate(cases) if case.type}
    meets = {
        rule.id: {
            at for at, case in enumerate(cases) if case.type and rule.meets(case.found, case.words)
        }
        for rule in rules
    }
    chosen: list[Rule] = []
    while len(chosen) < limits.rules:
        worth = [(len(meets[rule.id] & left), rule.support, rule.id, rule) for rule in rules]
        gain, _support, _id, best = max(worth, key=lambda one: one[:3], default=(0, 0, "", None))
        if best is None or not gain:
            break
        chosen.append(best)
        left -= meets[best.id]
    return chosen
