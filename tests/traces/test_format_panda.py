"""Panda files are read as the package reads them, and where it stops, sanely or with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stet.traces.formats.base import LineError, PandaFile
from stet.traces.formats.panda import FORMAT
from stet.traces.formats.panda_tree import panda_tree, prompt_key

FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "panda"
NAMES = ["01_pick", "02_free_text", "04_multi_turn", "06_cjk_emoji"]
needs_fixtures = pytest.mark.skipif(
    not FIXTURES.exists(), reason="the shared panda fixtures are not here"
)


def read(document: Any) -> PandaFile:
    (file,) = FORMAT.read(json.dumps(document).encode())
    assert isinstance(file, PandaFile), file
    return file


def fault(document: Any) -> str:
    (error,) = FORMAT.read(json.dumps(document).encode())
    assert isinstance(error, LineError), error
    return error.reason


def dialog(answer: str = "a", **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": answer}]
    return {"messages": messages, **more}


@needs_fixtures
@pytest.mark.parametrize("name", NAMES)
def test_the_tree_is_the_one_that_the_package_makes(name: str) -> None:
    data = (FIXTURES / f"{name}.panda.json").read_bytes()
    expected = json.loads((FIXTURES / f"{name}.expected.json").read_bytes())["tree"]
    assert FORMAT.detect(data)
    (file,) = FORMAT.read(data)
    assert isinstance(file, PandaFile)
    tree = panda_tree(file)
    assert json.loads(json.dumps(tree.trees)) == expected["trees"]
    assert {str(key): parent for key, parent in tree.to_parent.items()} == expected["to_parent"]
    assert tree.good == expected["dense_keys"]
    keys = list(tree.to_parent)
    for one in keys:
        for other in keys:
            prompts = [prompt_key(file.dialogs[key].messages) for key in (one, other)]
            hashes = [expected["prompt_hash"][str(key)] for key in (one, other)]
            assert (prompts[0] == prompts[1]) == (hashes[0] == hashes[1])


@needs_fixtures
@pytest.mark.parametrize("name", NAMES)
def test_the_document_is_kept_whole_and_references_are_resolved(name: str) -> None:
    raw = json.loads((FIXTURES / f"{name}.panda.json").read_bytes())
    file = read(raw)
    assert file.raw == raw
    assert file.uuid == raw["uuid"]
    for key, kept in file.dialogs.items():
        assert kept.raw == raw["dialogs"][str(key)]
        assert "<|hash|>" not in json.dumps(kept.messages)
    if name == "04_multi_turn":
        assert file.dialogs[1].messages[0]["content"].startswith("You are a concise cooking")


# What the package refuses although a reading is plain: the tree and the good dialogs.
SANE: dict[str, tuple[dict[str, Any], list[int]]] = {
    "no_update_time": ({"1": {"2": {}}}, [2]),
    "version_number": ({"1": {"2": {}}}, [2]),
    "all_not_good": ({"1": {}}, []),
    "latest_ends_with_user": ({"1": {}}, [1]),
    "annotate_null": ({"1": {}}, [1]),
    "operations_null": ({"1": {}}, [1]),
    "parent_null": ({"1": {}}, [1]),
    "empty_messages": ({"1": {}}, [1]),
    "comment_in_prompt": ({"1": {"2": {}}}, [2]),
    "looks_like_hash": ({"1": {}}, [1]),
}
REFUSED = {"version_2.1": "newer than 2.0", "version_10.0": "newer than 2.0"}


@needs_fixtures
def test_every_pitfall_of_the_package_has_a_sane_reading_or_a_reason() -> None:
    cases = json.loads((FIXTURES / "pitfalls.json").read_bytes())["cases"]
    assert len(cases) == 23
    for case in cases:
        if case["name"] in REFUSED:
            assert REFUSED[case["name"]] in fault(case["input"])
            continue
        tree = panda_tree(read(case["input"]))
        outcome = case["outcome"]
        known = (outcome["trees"], outcome["dense_keys"]) if outcome["parsed"] else None
        trees, good = known or SANE[case["name"]]
        assert json.loads(json.dumps(tree.trees)) == trees, case["name"]
        assert tree.good == good, case["name"]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"dialogs": {}}, "at least one dialog"),
        ({"dialogs": [dialog()]}, "“dialogs”"),
        ({"dialogs": {"x": dialog()}}, "dialog key “x”"),
        ({"dialogs": {"-1": dialog()}}, "dialog key “-1”"),
        ({"dialogs": {"1": dialog(), "01": dialog()}}, "dialog key “01”"),
        ({"dialogs": {"1": None}}, "dialog 1: not an object"),
        ({"dialogs": {"1": {}}}, "dialog 1: “messages”"),
        ({"dialogs": {"1": {"messages": [{"content": "x"}]}}}, "dialog 1: “messages”"),
        ({"dialogs": {"1": dialog(operations=[3])}}, "dialog 1: “operations”"),
        ({"dialogs": {"1": dialog(operations=[{"parent": "x"}])}}, "dialog 1: the parent"),
        ({"dialogs": {"1": dialog(annotate=[1])}}, "dialog 1: “annotate”"),
        ({"dialogs": {"1": dialog(tools={"a": 1})}}, "dialog 1: “tools”"),
        ({"dialogs": {"1": dialog()}, "hash_map": [1]}, "“hash_map”"),
        ({"dialogs": {"1": dialog()}, "uuid": 3}, "“uuid”"),
        ({"dialogs": {"1": dialog()}, "version": "newest"}, "“version”"),
        ({"dialogs": {"1": dialog()}, "version": True}, "“version”"),
        ({"dialogs": {"1": dialog()}, "version": 3}, "version 3 is newer"),
    ],
)
def test_a_document_that_makes_no_sense_is_refused_with_the_place(
    document: Any, reason: str
) -> None:
    assert reason in fault(document)


def test_references_are_resolved_once_and_lookalikes_are_left() -> None:
    part = {"type": "image_url", "image_url": "<|hash|>pic="}
    document = {
        "hash_map": {"pic=": {"url": "data:,x"}, "a": "<|hash|>b", "b": "wrong", "nl\n": "no"},
        "dialogs": {
            "1": {
                "messages": [
                    {"role": "system", "content": "<|hash|>a"},
                    {"role": "user", "content": [part, "<|hash|>unknown=="]},
                    {"role": "assistant", "content": " <|hash|>a"},
                ]
            }
        },
    }
    messages = read(document).dialogs[1].messages
    assert messages[0]["content"] == "<|hash|>b"
    assert messages[1]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:,x"}},
        "<|hash|>unknown==",
    ]
    assert messages[2]["content"] == " <|hash|>a"


def test_a_hash_map_that_unfolds_beyond_reason_is_refused() -> None:
    many = [{"role": "user", "content": "<|hash|>big"}] * 600
    document = {"hash_map": {"big": "x" * 1_000_000}, "dialogs": {"1": {"messages": many}}}
    assert "512 MB" in fault(document)


def test_several_documents_one_a_line_are_read_and_a_broken_one_is_named() -> None:
    line = json.dumps({"uuid": "u", "dialogs": {"1": dialog()}}).encode()
    read_ = list(FORMAT.read(line + b"\n" + line[:-9] + b"\n" + line))
    assert [type(item) for item in read_] == [PandaFile, LineError, PandaFile]
