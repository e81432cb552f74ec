"""A tree of versions becomes a file whose pairs are the ones that were meant, or none at all."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from stet.traces.formats.base import BadRow, PandaFile
from stet.traces.formats.panda import FORMAT
from training.targets.panda import (
    Chosen,
    NotExportable,
    PandaExport,
    PandaVersion,
    Rejected,
    dialogs_to_panda,
    panda_to_export,
)

from .panda_package import tree_of, view

PROMPT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital?"}]


def said(*texts: str) -> list[dict[str, Any]]:
    """Answers and user turns in alternation, an answer first."""
    roles = ("assistant", "user")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


def version(key: str, *texts: str, **more: Any) -> PandaVersion:
    more = {"operation": "continue_with_chosen", "finish_reason": "stop", **more}
    return PandaVersion(key, said(*texts), **more)


def export(*versions: PandaVersion, **more: Any) -> PandaExport:
    return PandaExport("file", PROMPT, list(versions), **more)


def reread(document: dict[str, Any]) -> PandaFile:
    (file,) = FORMAT.read(json.dumps(document).encode())
    assert isinstance(file, PandaFile), file
    return file


def pairs(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Texts of the rejected and the chosen answers of all fork pairs."""
    tree = tree_of(document)
    assert not tree.outcome_pairs
    texts = {key: one["messages"][-1]["content"] for key, one in tree.data["dialogs"].items()}
    return {(texts[rejected], texts[chosen]) for rejected, chosen in tree.fork_pairs}


FIRST = version("a", "It is Sydney.", operation="generate_new")
SECOND = version(
    "b",
    "It is Canberra.",
    parent_key="a",
    is_good=True,
    chosen=Chosen(" Canberra", -1.25, [32, 67]),
    rejected=Rejected(" Sydney", 2, 5, -0.5),
    chat_config={"model": "m", "temperature": 1.0},
    time_ms=1790000000000,
    stet={"ids": [1, 2, 3], "origins": [1, 2, 1], "rank": 3, "digest": "00ff"},
)


def test_a_pick_is_written_in_the_words_of_the_format() -> None:
    document = dialogs_to_panda(export(FIRST, SECOND, update_time=5, extra={"title": "T"}))
    assert pairs(document) == {("It is Sydney.", "It is Canberra.")}
    assert (document["version"], document["update_time"], document["title"]) == ("2.0", 5, "T")
    assert document["dialogs"]["2"]["annotate"] == {"is_good": True}
    assert document["dialogs"]["2"]["operations"] == [
        {
            "parent": "1",
            "operator": "continue_with_chosen",
            "on_policy": True,
            "is_prompt_modified": False,
            "is_response_modified": True,
            "response_modified_type": "bifurcation",
            "common_prefix_length": 6,
            "time": 1790000000000,
            "chat_config": {"model": "m", "temperature": 1.0},
            "continue_with_chosen": {"token": " Canberra", "logprob": -1.25, "bytes": [32, 67]},
            "rejected_token": {
                "delta": {"content": " Sydney"},
                "tokenIndex": 2,
                "unicode_start_index": 5,
                "logprobs": {"content": [{"token": " Sydney", "logprob": -0.5}]},
            },
        }
    ]
    assert "null" not in json.dumps(document["dialogs"])


def test_everything_comes_back_from_the_file() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    described = export(
        replace(SECOND, tools=tools),
        FIRST,
        version("c", "x", parent_key="b", operation="continue_with_input", typed="x"),
        version("d", "It is", parent_key="b", chosen=Chosen(None), finish_reason="stop"),
        PandaVersion("e", [{"role": "assistant", "content": None}], "auto", "a", is_good=False),
        PandaVersion("f", [{"role": "assistant"}], "auto", "a", is_good=False, on_policy=False),
        tools=[],
        stet={"episode": 7, "policy": {"tokenizer": "sha"}},
        hash_map={"old": "kept"},
        deleted={"4": {"messages": []}},
        extra={"comment": "c", "cache_tree": {}},
    )
    document = dialogs_to_panda(described)
    assert panda_to_export(reread(document)) == described
    assert min(map(int, document["dialogs"])) == 5


def test_a_parent_has_the_smaller_number_whatever_the_order() -> None:
    document = dialogs_to_panda(export(SECOND, FIRST))
    assert pairs(document) == {("It is Sydney.", "It is Canberra.")}


def test_the_first_answer_may_be_the_accepted_one() -> None:
    document = dialogs_to_panda(
        export(replace(FIRST, is_good=True), replace(SECOND, is_good=False))
    )
    assert pairs(document) == {("It is Canberra.", "It is Sydney.")}


ROUND = version("r", "It is Canberra.", "Sure?", "No.", parent_key="b", operation="start_new_round")
FIXED = version("s", "It is Canberra.", "Sure?", "Yes.", parent_key="r", is_good=True)


def test_each_turn_of_an_accepted_conversation_pairs_with_its_own_abandoned_answers() -> None:
    document = dialogs_to_panda(export(FIRST, replace(SECOND, is_good=None), ROUND, FIXED))
    assert pairs(document) == {("It is Sydney.", "It is Canberra."), ("No.", "Yes.")}
    assert tree_of(document).dense_keys == [2, 4]


def test_only_the_branch_that_went_on_is_good_though_another_says_the_same() -> None:
    same = version("c", "It is Canberra.", parent_key="a")
    kept = replace(SECOND, is_good=None)
    document = dialogs_to_panda(export(FIRST, same, kept, ROUND, FIXED))
    assert pairs(document) == {("It is Sydney.", "It is Canberra."), ("No.", "Yes.")}
    assert list(document["stet"]["set_aside"].values()) == ["same_text"]


def test_a_turn_that_only_the_tips_tell_of_is_added() -> None:
    tips = (
        FIRST,
        version("o", "It is Perth.", parent_key="a"),
        replace(ROUND, parent_key="a"),
        replace(FIXED, typed="x"),
    )
    document = dialogs_to_panda(export(*tips))
    assert pairs(document) == {
        ("It is Sydney.", "It is Canberra."),
        ("It is Perth.", "It is Canberra."),
        ("No.", "Yes."),
    }
    assert panda_to_export(reread(document)) == export(*tips)


def test_a_correction_made_in_the_added_turn_goes_with_it() -> None:
    tip = replace(SECOND, messages=ROUND.messages)
    document = dialogs_to_panda(export(FIRST, tip))
    added, kept = (document["dialogs"][key]["operations"][0] for key in "23")
    assert added["operator"] == "continue_with_chosen"
    assert added["rejected_token"]["tokenIndex"] == 2
    assert kept["operator"] == "start_new_round"
    assert "rejected_token" not in kept
    assert kept["is_prompt_modified"]


def test_going_back_to_an_earlier_turn_pairs_with_the_turn_that_was_kept() -> None:
    accepted = version(
        "x", "It is Canberra.", "Sure?", "Yes.", operation="generate_new", is_good=True
    )
    document = dialogs_to_panda(export(accepted, version("y", "It is Rome.", parent_key="x")))
    assert pairs(document) == {("It is Rome.", "It is Canberra.")}


def test_an_answer_made_anew_gives_a_preference_but_no_token() -> None:
    again = replace(SECOND, operation="generate_new")
    tree = tree_of(dialogs_to_panda(export(FIRST, again)))
    assert (tree.fork_pairs, tree.outcome_pairs) == ([], [(1, 2)])
    second_turn = (
        replace(SECOND, is_good=None),
        ROUND,
        replace(FIXED, operation="generate_new"),
    )
    tree = tree_of(dialogs_to_panda(export(FIRST, *second_turn)))
    assert (tree.fork_pairs, tree.outcome_pairs) == ([(1, 2)], [(3, 4)])


@pytest.mark.parametrize(
    ("abandoned", "accepted", "reason"),
    [
        (("It is", None), ("It is Canberra.", "stop"), "unfinished"),
        (("It is", "length"), ("It is Canberra.", "stop"), "unfinished"),
        (("It is Canberra.", "stop"), ("It is Canberra.", "stop"), "same_text"),
        (("It is Canberra.", "length"), ("It is Canberra.", "stop"), "same_text"),
        (("It is Canberra, no.", "stop"), ("It is", "length"), "accepted_unfinished"),
        (("It is", "stop"), ("It is Canberra.", "stop"), None),
        (("It is Canberra, no.", "stop"), ("It is", "stop"), None),
        (("It is Sydney", None), ("It is Canberra.", "stop"), None),
    ],
)
def test_no_pair_teaches_an_end_that_nobody_judged(
    abandoned: tuple[str, str | None], accepted: tuple[str, str | None], reason: str | None
) -> None:
    described = export(
        version("a", abandoned[0], operation="generate_new", finish_reason=abandoned[1]),
        version("o", "It is Rome.", parent_key="a"),
        version("b", accepted[0], parent_key="a", finish_reason=accepted[1], is_good=True),
    )
    document = dialogs_to_panda(described)
    meant = {(abandoned[0], accepted[0])} if reason is None else set()
    other = {("It is Rome.", accepted[0])} if accepted[1] == "stop" else set()
    assert pairs(document) == meant | other
    assert document["stet"]["set_aside"].get("1") == reason
    assert ("1" in document["deleted_dialogs"]) == (reason is not None)
    assert view(document)["printed"] == ""
    assert panda_to_export(reread(document)) == described


def test_texts_that_look_like_references_and_long_prompts_arrive_as_they_were() -> None:
    long = "長" * 20_000
    prompt = [
        {"role": "system", "content": long},
        {"role": "user", "content": "<|hash|>abc="},
        {"role": "assistant", "content": "<|hash|>nl\n"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "<|hash|>0"}, {"type": "text", "text": long}],
        },
    ]
    described = replace(
        export(FIRST, version("b", "<|hash|>x", parent_key="a", is_good=True)), prompt=prompt
    )
    document = dialogs_to_panda(described)
    assert long not in json.dumps(document["dialogs"], ensure_ascii=False)
    messages = tree_of(document).data["dialogs"][2]["messages"]
    assert messages[:-1] == prompt
    assert messages[-1]["content"] == "<|hash|>x"
    assert panda_to_export(reread(document)) == described


def test_what_another_tool_changed_is_taken_as_that_tool_left_it() -> None:
    document = dialogs_to_panda(export(FIRST, replace(SECOND, is_good=None), ROUND, FIXED))
    document["dialogs"]["2"]["messages"][-1]["content"] = "It is Canberra, ACT."
    document["dialogs"]["3"]["annotate"]["is_good"] = True
    document["deleted_dialogs"]["1"] = document["dialogs"].pop("1")
    document["dialogs"]["5"] = {"messages": [*PROMPT, *said("New.")], "annotate": {"is_good": True}}
    back = panda_to_export(reread(document))
    assert [one.key for one in back.versions] == ["dialog-2", "dialog-5", "r", "s"]
    by_key = {one.key: one for one in back.versions}
    assert by_key["r"] == replace(ROUND, parent_key="dialog-2", is_good=True)
    assert by_key["dialog-2"].messages[-1]["content"] == "It is Canberra, ACT."
    assert list(back.deleted) == ["1"]
    tree_of(dialogs_to_panda(back))


@pytest.mark.parametrize("damage", ["dialogs", "version", "set_aside", "seal"])
def test_a_damaged_part_of_ours_is_refused(damage: str) -> None:
    document = dialogs_to_panda(export(FIRST, SECOND))
    if damage in ("version", "seal"):
        del document["stet"]["dialogs"]["2"][damage]
    else:
        document["stet"][damage] = 3
    with pytest.raises(BadRow, match="damaged"):
        panda_to_export(reread(document))


@pytest.mark.parametrize(
    ("versions", "reason"),
    [
        ([], "No version is good"),
        ([replace(SECOND, parent_key=None, stet={"x": float("nan")})], "no form in JSON"),
        ([version("a", "\ud83d", is_good=True)], "no form in JSON"),
        ([FIRST], "No version is good"),
        ([FIRST, FIRST], "same key"),
        ([SECOND], "comes from a"),
        ([replace(SECOND, parent_key="c"), replace(SECOND, key="c", parent_key="b")], "ancestors"),
        ([PandaVersion("u", [], "auto", is_good=True)], "good but has no answer"),
        ([replace(FIRST, messages=[{"role": "assistant", "finish_reason": "x"}])], "says twice"),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(
    versions: list[PandaVersion], reason: str
) -> None:
    with pytest.raises(NotExportable, match=reason) as refusal:
        dialogs_to_panda(export(*versions))
    assert refusal.value.problem()["code"] == "panda_not_possible"


def test_a_file_needs_a_prompt_and_one_way_of_writing_it() -> None:
    with pytest.raises(NotExportable, match="no prompt"):
        dialogs_to_panda(replace(export(replace(FIRST, is_good=True)), prompt=[]))
    other = replace(
        FIXED,
        messages=[{**said("It is Canberra.")[0], "finish_reason": "stop"}, *FIXED.messages[1:]],
    )
    with pytest.raises(NotExportable, match="earlier turns otherwise"):
        dialogs_to_panda(export(FIRST, SECOND, ROUND, other))
