"""Mining finds what tells abnormal calls from normal ones, and nothing where nothing does."""

from __future__ import annotations

import json
from itertools import chain, combinations
from random import Random

from rewards.guard.events import events
from rewards.guard.mining import Labelled, Limits, cases_of, mine
from rewards.guard.rules import RuleSet
from stet.traces.steps import run_of


def run(asked: str, *calls: tuple[str, dict[str, str], str]) -> Labelled:
    messages: list[dict[str, object]] = [{"role": "user", "content": asked}]
    for name, arguments, result in calls:
        made = {"function": {"name": name, "arguments": json.dumps(arguments)}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [made]})
        messages.append({"role": "tool", "content": result})
    return Labelled(run_of(messages))


def published(number: int, asked: str, passed: bool) -> Labelled:
    path = f"g{number}/docs/f{number}.txt"
    return Labelled(
        run(
            asked.format(path),
            ("run_check", {"path": path}, "pass" if passed else "fail"),
            ("publish", {"path": path}, "ok"),
        ).run,
        group=str(number % 10),
        name=f"run-{number}",
    )


def example() -> tuple[list[Labelled], list[Labelled]]:
    """Publishing after a failed check is abnormal, unless the task says anyway."""
    bad = [published(n, "Check {} and publish it.", False) for n in range(20)]
    abnormal = [Labelled(one.run, {1: "ignores"}, one.group, one.name) for one in bad]
    normal = [published(n, "Check {} and publish it.", True) for n in range(20, 50)]
    normal += [published(n, "Check {} and publish it anyway.", False) for n in range(50, 70)]
    return abnormal, normal


def test_the_rule_and_its_exception_are_found() -> None:
    abnormal, normal = example()
    rules = mine(abnormal, normal)
    assert len(rules) == 1
    (rule,) = rules
    assert rule.family == "ignores"
    assert rule.support == 20
    assert rule.precision == 1.0
    assert "anyway" in rule.trigger.none
    assert len(rule.provenance) == 20
    assert rule.lift > 2
    guard = RuleSet(rules)
    for one in [*abnormal, *normal]:
        (check, _tokens), (publish, _more) = events(one.run)
        said = guard.check(one.run.instruction, [check], publish).decision
        assert said == ("block" if one.anomalies else "allow"), one.name


def test_support_lift_and_precision_are_those_of_counting() -> None:
    """Against every conjunction of up to two tokens of one kind of anomaly, without triggers."""
    abnormal, normal = example()
    cases = [one for one in cases_of([*abnormal, *normal]) if "anyway" not in one.words]
    tokens = sorted(set(chain.from_iterable(one.found for one in cases)))
    bad = sum(bool(one.type) for one in cases)
    best = 0.0
    for pattern in chain(combinations(tokens, 1), combinations(tokens, 2)):
        met = [one for one in cases if set(pattern) <= one.found]
        right = sum(bool(one.type) for one in met)
        if right >= Limits().support:
            best = max(best, right / len(met) / (bad / len(cases)))
    plain = [one for one in normal if "anyway" not in one.run.instruction]
    assert max(one.lift for one in mine(abnormal, plain)) >= best * 0.8


def test_chance_gives_no_rules() -> None:
    """Labels that hang on nothing: what half the groups suggest, the other half denies."""
    draw = Random(3)
    runs = [published(n, "Check {} and publish it.", draw.random() < 0.5) for n in range(200)]
    lot = [Labelled(one.run, {1: "odd"} if draw.random() < 0.3 else {}, one.group) for one in runs]
    rules = mine([one for one in lot if one.anomalies], [one for one in lot if not one.anomalies])
    assert rules == []


def test_nothing_to_learn_from_gives_no_rules() -> None:
    abnormal, normal = example()
    assert mine([], []) == []
    assert mine([], normal) == []
    assert mine(abnormal[:2], normal) == []
