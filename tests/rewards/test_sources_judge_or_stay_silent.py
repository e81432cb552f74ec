"""Sources yield verdicts with name and version, and nothing where they cannot judge."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewards import registry
from rewards.registry import Source, judge, sources
from rewards.sources.repetition import final_loop, repeated_share
from rewards.verdict import Kind, Trace, Verdict, all_hold, binary, excerpt, scalar


def by_source(task: dict[str, Any], text: str, ids: list[int] | None = None) -> dict[str, Verdict]:
    return {verdict.source: verdict for verdict in judge(task, text, ids)}


def test_the_sources_of_the_folder_are_found() -> None:
    assert set(sources()) >= {"exact", "length", "properties", "repetition"}


def test_a_task_without_reference_or_checks_gets_no_binary_verdict() -> None:
    verdicts = judge({"messages": []}, "Paris")
    assert all_hold(verdicts) is None
    assert [verdict.source for verdict in verdicts] == ["length"]


@pytest.mark.parametrize(
    ("reference", "text", "value"),
    [
        ("Paris", " Paris\n", True),
        ("Paris", "paris", False),
        (["Paris", "Lutetia"], "Lutetia", True),
        ("a b", "a\n  b", True),
        ("Paris", "", False),
    ],
)
def test_exact_compares_with_the_reference(reference: Any, text: str, value: bool) -> None:
    assert by_source({"reference": reference}, text)["exact"].value is value


@pytest.mark.parametrize("reference", [None, [], {}, 7, ["a", 7]])
def test_exact_is_silent_without_a_usable_reference(reference: Any) -> None:
    assert "exact" not in by_source({"reference": reference}, "7")


def test_verdicts_carry_source_version_and_evidence() -> None:
    task = {"checks": [{"kind": "max_words", "n": 1}, {"kind": "contains", "words": ["a"]}]}
    found = [verdict for verdict in judge(task, "a b") if verdict.source == "properties"]
    assert [verdict.value for verdict in found] == [False, True]
    assert found[0].version == "1"
    assert found[0].kind is Kind.BINARY
    assert found[0].evidence == {"check": {"kind": "max_words", "n": 1}, "found": 2}
    assert all_hold(found) is False


def test_an_empty_answer_has_no_property() -> None:
    verdict = by_source({"checks": [{"kind": "max_words", "n": 5}]}, " \n")["properties"]
    assert verdict.value is False
    assert verdict.evidence["empty"] is True


def test_length_counts_words_characters_and_tokens() -> None:
    verdict = by_source({}, "北京 is big", [5, 6, 7])["length"]
    assert verdict.value == 4.0
    assert verdict.evidence == {"characters": 9, "tokens": 3}
    assert "tokens" not in by_source({}, "a")["length"].evidence


def test_repetition_is_silent_about_short_answers() -> None:
    assert "repetition" not in by_source({}, "a " * 15)
    assert "repetition" not in by_source({}, "a " * 100, [1] * 15)


def test_repetition_names_the_loop_at_the_end() -> None:
    verdict = by_source({}, "", [9, 8, 7, 6, 5, 4, *[1, 2, 3] * 6])["repetition"]
    assert verdict.evidence["loop"] == {"start": 6, "period": 3, "times": 6}
    assert verdict.value == pytest.approx(1 - 9 / 21)


def test_a_text_without_repeats_has_repetition_zero() -> None:
    verdict = by_source({}, " ".join(f"w{i}" for i in range(30)))["repetition"]
    assert verdict.value == 0.0
    assert "loop" not in verdict.evidence


def test_the_share_of_repeated_bigrams_is_as_worked() -> None:
    assert repeated_share("ababab", n=2) == pytest.approx(0.6)
    assert repeated_share("a", n=2) == 0.0


def loop_by_search(units: list[int]) -> tuple[int, int] | None:
    """The definition, tried out: the longest tail, then its shortest period."""
    for start in range(len(units)):
        tail = units[start:]
        for period in range(1, len(tail) // 3 + 1):
            repeats = all(tail[i] == tail[i - period] for i in range(period, len(tail)))
            if repeats and len(tail) >= 12:
                return start, period
    return None


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 2), max_size=10),
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.integers(0, 8),
)
def test_the_linear_loop_search_agrees_with_the_definition(
    head: list[int], unit: list[int], times: int
) -> None:
    units = head + unit * times
    assert final_loop(units) == loop_by_search(units)


def test_a_source_that_fails_does_not_silence_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(trace: Trace) -> Iterator[Verdict]:
        yield binary(True)
        raise RuntimeError("no")

    every = {"broken": Source("broken", "1", broken), **sources()}
    monkeypatch.setattr(registry, "sources", lambda: every)
    with caplog.at_level(logging.CRITICAL + 1):
        verdicts = judge({}, "a")
    assert [verdict.source for verdict in verdicts] == ["length"]


def test_two_sources_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two sources"):
        registry.source("exact", version="9")(lambda trace: iter(()))


def test_a_value_that_is_not_of_its_kind_is_refused() -> None:
    with pytest.raises(TypeError):
        Verdict(Kind.BINARY, 1)
    with pytest.raises(TypeError):
        scalar(float("nan"))
    with pytest.raises(TypeError):
        Verdict(Kind.SCALAR, True)


def test_excerpts_hold_nothing_that_a_json_column_refuses() -> None:
    assert excerpt("a\0b\ud800c😀") == "a\ufffdb\ufffdc😀"
    assert excerpt("x" * 200) == "x" * 160 + "…"
