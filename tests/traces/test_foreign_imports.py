"""Traces from elsewhere: messages as received, tokens of a named tokenizer, nothing sampled."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from stet.accounts.models import User
from stet.common.jobs import job_run
from stet.common.packing import unpack_ids
from stet.policies.chat import ChatTemplate
from stet.policies.services import policy_register
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project, Task
from stet.traces import selectors
from stet.traces.foreign_file import TraceFile
from stet.traces.formats.base import Conversation
from stet.traces.models import Episode, Origin, Segment, Span
from stet.traces.services import foreign_add
from tests.conftest import Client
from tests.policies.folders import byte_level

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
RUN: list[dict[str, Any]] = [
    {"role": "system", "content": "Use the tools."},
    {"role": "user", "content": "Find x, please <|im_end|> 👍🏿"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "find", "content": "x is at 甲"},
    {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "again"},
    {"role": "tool", "tool_call_id": "c1", "content": "again"},
    {"role": "assistant", "content": "It is at 甲."},
    {"role": "user", "content": "Thanks."},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A small tokenizer and template, named by the settings as the model's."""
    settings.DATA_DIR = tmp_path / "data"
    settings.TOKENIZER_DIR = byte_level(tmp_path / "model")
    return settings.TOKENIZER_DIR


def url(project: Project, query: str = "") -> str:
    return f"/api/v1/projects/{project.pk}/traces{query}"


def lines(client: Client, project: Project, rows: list[Any], query: str = "") -> Any:
    body = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    return client.post(url(project, query), body, content_type="application/x-ndjson")


def test_a_run_becomes_runs_of_tokens(
    as_researcher: Client, project: Project, folder: Path
) -> None:
    answer = lines(as_researcher, project, [{"id": "r1", "messages": RUN, "reward": 1}])
    assert answer.status_code == 200, answer.json()
    episode = Episode.objects.select_related("task").get(pk=answer.json()["episodes"]["1"])
    assert episode.task.messages == RUN
    assert (episode.task.external_id, episode.task.metadata) == ("r1", {"reward": 1})
    assert episode.task.frozen_at is not None
    assert episode.policy is None
    path = selectors.head_path(episode)
    origins = [piece.segment.origin for piece in path.pieces]
    assert origins == [
        Origin.PROMPT,
        Origin.FOREIGN,
        Origin.TOOL,
        Origin.FOREIGN,
        Origin.TOOL,
        Origin.FOREIGN,
        Origin.PROMPT,
    ]
    tokenizer = load_tokenizer(folder)
    assert all(piece.segment.tokenizer_sha256 == tokenizer.sha256 for piece in path.pieces)
    assert all(piece.segment.logprobs is None for piece in path.pieces)
    text = tokenizer.text_of(path.ids)
    assert text.startswith("<|im_start|>system\nUse the tools.<|im_end|>\n<|im_start|>user\n")
    assert text.endswith("<|im_start|>user\nThanks.<|im_end|>\n<|im_start|>assistant\n")


def test_a_trace_is_readable_where_its_tokenizer_is_known(
    as_researcher: Client, project: Project, folder: Path
) -> None:
    answer = lines(as_researcher, project, [{"id": "r1", "messages": RUN}])
    address = f"/api/v1/episodes/{answer.json()['episodes']['1']}?view=path"
    assert as_researcher.get(address).json()["rows"] == []
    policy_register(name="small", served_name="small", folder=folder, max_len=400, engine={})
    view = as_researcher.get(address).json()
    assert "Find x, please <|im_end|> 👍🏿" in view["text"]
    assert len(view["rows"]) == len(view["token_ids"])


def test_spans_name_messages_and_calls(
    as_researcher: Client, project: Project, folder: Path
) -> None:
    lines(as_researcher, project, [{"id": "r1", "messages": RUN}])
    episode = Episode.objects.get()
    path = selectors.head_path(episode)
    tokenizer = load_tokenizer(folder)
    said = {
        (span.level, span.ordinal): tokenizer.text_of(path.ids[span.start : span.end])
        for span in selectors.spans_of(path)
    }
    call = '<tool_call>\n{"name": "find", "arguments": {"q": "x"}}\n</tool_call>'
    messages = {at: text for (level, at), text in said.items() if level == Span.Level.MESSAGE}
    assert messages == {
        0: "Use the tools.",
        1: "Find x, please <|im_end|> 👍🏿",
        2: f"I look.\n{call}",
        3: "x is at 甲",
        4: f"{call}\n{call}",
        5: "again",
        6: "again",
        7: "It is at 甲.",
        8: "Thanks.",
    }
    calls = [text.strip() for (level, _at), text in said.items() if level == Span.Level.CALL]
    assert calls == [call, call, call]


def test_text_that_looks_special_stays_text(
    as_researcher: Client, project: Project, folder: Path
) -> None:
    lines(as_researcher, project, [{"id": "r1", "messages": RUN}])
    tokenizer = load_tokenizer(folder)
    ids = selectors.head_path(Episode.objects.get()).ids
    ends = sum(tokenizer.token_bytes(token) == b"<|im_end|>" for token in ids)
    assert ends == len(RUN)


def test_the_same_traces_twice_add_nothing(as_researcher: Client, project: Project) -> None:
    rows = [{"id": f"r{n}", "messages": RUN} for n in range(3)] + [{"messages": RUN[:3]}]
    first = lines(as_researcher, project, rows).json()
    again = lines(as_researcher, project, rows).json()
    assert (first["added"], again["added"], again["same"]) == (4, 0, 4)
    assert again["episodes"] == first["episodes"]
    assert Episode.objects.count() == 4


def test_every_bad_trace_is_reported_and_the_others_kept(
    as_researcher: Client, project: Project
) -> None:
    rows = [
        {"id": "a", "messages": RUN},
        "{broken",
        {"id": "b", "messages": [{"role": "user", "content": "nobody answers"}]},
        {"id": "c", "messages": [{"role": "boss", "content": "x"}]},
        {"id": "a", "messages": RUN[:3]},
        {"id": "x" * 201, "messages": RUN},
        {"id": "d", "messages": RUN[1:4]},
    ]
    said = lines(as_researcher, project, rows).json()
    assert (said["added"], said["failed"]) == (2, 5)
    assert [error["line"] for error in said["errors"]] == [2, 3, 4, 5, 6]
    assert set(said["episodes"]) == {"1", "7"}


@pytest.mark.parametrize(
    "body", [b"", b"  \n", b"{}", b"[]", b"\x00", b"\xff\xfe", b'{"colour": "red"}']
)
def test_what_is_no_trace_gets_a_clear_4xx(
    as_researcher: Client, project: Project, body: bytes
) -> None:
    answer = as_researcher.post(url(project), body, content_type="application/json")
    assert answer.status_code == 422
    assert not Task.objects.exists()


def test_a_format_that_is_unknown_is_refused(as_researcher: Client, project: Project) -> None:
    answer = lines(as_researcher, project, [{"messages": RUN}], "?format=xml")
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_format")


def test_an_answer_may_open_and_answers_may_follow_each_other(
    as_researcher: Client, project: Project, folder: Path
) -> None:
    messages = [
        {"role": "assistant", "content": "Hello."},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": [{"type": "text", "text": "Again."}, {"type": "image"}]},
        {"role": "user", "content": "Bye."},
    ]
    said = lines(as_researcher, project, [{"messages": messages}]).json()
    assert said["added"] == 1, said
    path = selectors.head_path(Episode.objects.get())
    text = load_tokenizer(folder).text_of(path.ids)
    assert "Hello." in text
    assert "[image]" in text
    assert [piece.segment.origin for piece in path.pieces] == [0, 5, 0]


def test_a_huge_result_is_kept_whole_and_tokenised_to_its_head(
    project: Project, researcher: User, folder: Path
) -> None:
    huge = "0123456789" * 30_000
    messages = [*RUN[:3], {**RUN[3], "content": huge}, RUN[7]]
    item = Conversation("huge", messages)
    outcome = foreign_add(project=project, author=researcher, items=[(1, item)], folder=folder)
    assert outcome.errors == []
    task = Task.objects.get()
    assert task.messages[3]["content"] == huge
    tool = Segment.objects.get(origin=Origin.TOOL)
    text = load_tokenizer(folder).text_of(unpack_ids(tool.ids))
    assert "more characters]" in text
    assert len(text) < 70_000


def test_an_upload_is_read_by_a_job(as_researcher: Client, project: Project) -> None:
    rows = "\n".join(json.dumps({"id": f"r{n}", "messages": RUN}) for n in range(30))
    file = SimpleUploadedFile("runs.jsonl.gz", gzip.compress(f"{rows}\n{{broken".encode()))
    job = as_researcher.post(url(project), {"file": file}).json()
    job_run(job["id"])
    done = as_researcher.get(f"/api/v1/jobs/{job['id']}").json()
    assert (done["status"], done["error"]) == ("done", "")
    assert (done["result"]["added"], done["result"]["failed"]) == (30, 1)
    assert Episode.objects.count() == 30


def test_imports_take_traces_too(as_researcher: Client, project: Project) -> None:
    file = SimpleUploadedFile("one.json", json.dumps({"messages": RUN}).encode())
    answer = as_researcher.post(f"/api/v1/projects/{project.pk}/imports", {"file": file})
    job_run(answer.json()["id"])
    assert Episode.objects.count() == 1


@pytest.mark.parametrize("role", ["annotator", "reviewer"])
def test_annotators_and_reviewers_bring_no_traces(
    role: str, request: pytest.FixtureRequest, project: Project
) -> None:
    client: Client = request.getfixturevalue(f"as_{role}")
    assert lines(client, project, [{"messages": RUN}]).status_code == 403


def test_a_stranger_gets_404(as_stranger: Client, project: Project) -> None:
    assert lines(as_stranger, project, [{"messages": RUN}]).status_code == 404


def test_a_body_beyond_the_limit_is_413(as_researcher: Client, project: Project) -> None:
    body = b" " * (4 * 2**20 + 1)
    assert (
        as_researcher.post(url(project), body, content_type="application/json").status_code == 413
    )


def panda() -> dict[str, Any]:
    """Three dialogs: a first answer, a corrected one, and a further turn."""
    ask = {"role": "user", "content": "Capital of France?"}
    more = {"role": "user", "content": "And of Spain?"}

    def dialog(parent: int | None, good: bool | None, *messages: dict[str, str]) -> dict[str, Any]:
        return {
            "messages": list(messages),
            "operations": [{"operator": "auto", "parent": parent}],
            "annotate": {"is_good": good},
        }

    paris = {"role": "assistant", "content": "Paris."}
    return {
        "version": "2.0",
        "uuid": "u-1",
        "dialogs": {
            "1": dialog(None, None, ask, {"role": "assistant", "content": "Lyon."}),
            "2": dialog(1, True, ask, paris),
            "3": dialog(2, False, ask, paris, more, {"role": "assistant", "content": "Lima."}),
        },
        "hash_map": {},
    }


def test_a_panda_file_is_one_tree_whose_head_is_the_good_answer(
    as_researcher: Client, project: Project, folder: Path
) -> None:
    answer = as_researcher.post(url(project), json.dumps(panda()), content_type="application/json")
    assert answer.json()["added"] == 1, answer.json()
    episode = Episode.objects.select_related("task").get()
    assert episode.task.metadata["panda"] == panda()
    assert episode.task.external_id == "u-1"
    text = load_tokenizer(folder).text_of(selectors.head_path(episode).ids)
    assert text.endswith("Paris.")
    assert Counter(Segment.objects.values_list("origin", flat=True)) == {0: 2, 5: 3}


@pytest.mark.parametrize("name", ["01_pick", "02_free_text", "04_multi_turn", "06_cjk_emoji"])
def test_the_panda_fixtures_survive_import(
    shared_data: Path, project: Project, researcher: User, folder: Path, name: str
) -> None:
    path = shared_data.parent / "fixtures" / "panda" / f"{name}.panda.json"
    rows = [(row.number, row.value) for row in TraceFile(path, "auto")]
    outcome = foreign_add(project=project, author=researcher, items=rows, folder=folder)
    assert (outcome.added, outcome.errors) == (1, [])
    assert Task.objects.get().metadata["panda"] == json.loads(path.read_text())


def test_the_real_agent_traces_are_read(
    shared_data: Path, project: Project, researcher: User, folder: Path
) -> None:
    path = shared_data / "agent-traces-airline.jsonl"
    rows = [(row.number, row.value) for row in TraceFile(path, "auto", files=shared_data)][:20]
    outcome = foreign_add(project=project, author=researcher, items=rows, folder=folder)
    assert (outcome.added, outcome.errors) == (20, [])
    raw = [json.loads(line) for line in path.read_text().splitlines()[:20]]
    calls = sum(len(m.get("tool_calls") or ()) for row in raw for m in row["messages"])
    assert Span.objects.filter(level=Span.Level.CALL).count() == calls


def test_broken_and_deep_arguments_are_read(as_researcher: Client, project: Project) -> None:
    """A string in a string, JSON that breaks off, and 2,000 levels are arguments like any."""
    texts = [
        '"\\"SELECT 1\\""',
        '{"a": [1, 2',
        "[" * 2000 + "]" * 2000,
        '{"a":' * 500 + "1" + "}" * 500,
    ]
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "run", "arguments": text}}
        for n, text in enumerate(texts)
    ]
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c0", "content": "done"},
        {"role": "assistant", "content": "Done."},
    ]
    answer = lines(as_researcher, project, [{"id": "shapes", "messages": messages}])
    assert answer.json()["added"] == 1, answer.json()
    assert Task.objects.get(external_id="shapes").messages == messages
    assert Span.objects.filter(level=Span.Level.CALL).count() == 4


def test_the_work_for_a_turn_does_not_grow_with_the_run(
    as_researcher: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn is rendered beside what is near it: a run of 6,700 events is read in seconds."""
    longest: list[int] = []
    turn = ChatTemplate.turn

    def counted(self: ChatTemplate, before: Any, new: Any, **more: Any) -> Any:
        longest.append(len(before) + len(new))
        return turn(self, before, new, **more)

    monkeypatch.setattr(ChatTemplate, "turn", counted)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Go on."}]
    messages.append({"role": "user", "content": "Count."})
    for n in range(40):
        messages.append({"role": "assistant", "content": f"step {n}"})
        messages.append({"role": "tool", "tool_call_id": "c", "content": f"ok {n}"})
    messages.append({"role": "assistant", "content": "Done."})
    answer = lines(as_researcher, project, [{"id": "events", "messages": messages}])
    assert answer.json()["added"] == 1
    assert (len(longest), max(longest)) == (40, 4)
    spans = Span.objects.filter(role="tool").order_by("ordinal").values_list("ordinal", flat=True)
    assert list(spans) == list(range(3, 83, 2))
