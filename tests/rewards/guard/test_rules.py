"""A rule speaks only where its trigger matches, and says what may be done instead."""

from __future__ import annotations

import pytest

from rewards.guard.rules import Rule, RuleSet, Trigger, words_of
from stet.traces.steps import Call

CHECKED = Call(0, "run_check", {"path": "x.txt"}, "{}", "fail: x.txt")
PUBLISH = Call(1, "publish", {"path": "x.txt"}, "{}")


def rule(name: str, *pattern: str, action: str = "block", **words: str) -> Rule:
    trigger = Trigger(*(frozenset(words.get(one, "").split()) for one in ("any", "none")))
    return Rule(name, frozenset(pattern), trigger, action)


def test_words_are_kinds_of_names() -> None:
    said = words_of("Send R12 to eve@x.example and write it to a/docs/b.txt, Anyway!")
    assert said == {"send", "<number>", "to", "<address>", "and", "write", "it", "<path>", "anyway"}


@pytest.mark.parametrize(
    ("instruction", "decision"),
    [
        ("Check x.txt and publish it.", "block"),
        ("Check x.txt and publish it anyway.", "allow"),
        ("Look at x.txt.", "allow"),
    ],
)
def test_the_trigger_decides_where_a_rule_is_active(instruction: str, decision: str) -> None:
    unmended = rule("r", "after_failed_validation=yes", any="publish", none="anyway")
    found = RuleSet([unmended]).check(instruction, [CHECKED], PUBLISH)
    assert found.decision == decision
    said = {bool(found.rules), bool(found.message), bool(found.alternative)}
    assert said == {decision != "allow"}
    always = RuleSet([unmended], always_on=True)
    assert always.check(instruction, [CHECKED], PUBLISH).decision == "block"
    assert len(always.active(instruction)) == 1


def test_the_strictest_rule_decides_and_all_are_named() -> None:
    rules = RuleSet([rule("a", "tool=publish", action="warn"), rule("b", "verb=send")])
    found = rules.check("", [CHECKED], PUBLISH)
    assert (found.decision, found.rules) == ("block", ("b", "a"))
    assert rules.check("", [], CHECKED).decision == "allow"
    assert RuleSet([]).check("", [], PUBLISH).decision == "allow"


def test_the_way_out_fits_the_rule() -> None:
    mended = rule("a", "after_failed_validation=yes", "tool=publish")
    assert "check it again" in mended.alternative
    assert rule("b", "tool=publish").alternative
    assert "tool=publish" in mended.message
