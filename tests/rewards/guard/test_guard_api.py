"""Rules over REST: they watch first, pass a gate, decide, and rest; and calls are asked about."""

from __future__ import annotations

from typing import Any

import pytest

from rewards.models import GuardDecision, GuardRule
from stet.common.jobs import job_run
from stet.common.models import Job
from stet.projects.models import Project
from tests.conftest import Client
from tests.traces.conftest import policy

__all__ = ["policy"]
ASKED = "Check {} and publish it."
PATTERN = ["after_failed_validation=yes", "tool=publish"]


def run(number: int, passed: bool, asked: str = ASKED) -> dict[str, Any]:
    path = f"docs/f{number}.txt"
    made = [("run_check", "pass" if passed else "fail"), ("publish", "ok")]
    messages: list[dict[str, Any]] = [{"role": "user", "content": asked.format(path)}]
    for at, (name, result) in enumerate(made):
        function = {"name": name, "arguments": f'{{"path": "{path}"}}'}
        call = {"id": str(at), "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": str(at), "content": result})
    return {"id": f"run-{number}", "messages": messages, "task_id": number}


@pytest.fixture
def runs(as_researcher: Client, project: Project, policy: Any) -> None:
    """24 runs that published after a failed check, 30 that did right, 16 that were told to do so
    anyway; the first are labelled."""
    lot = [run(n, False) for n in range(24)] + [run(n, True) for n in range(24, 54)]
    lot += [run(n, False, ASKED.replace(".", " anyway.")) for n in range(54, 70)]
    url = f"/api/v1/projects/{project.pk}/traces"
    said = as_researcher.post(url, lot, format="json").json()
    assert said["added"] == 70, said
    body = {"project": project.pk, "signals": [signal(n) for n in range(24)]}
    assert as_researcher.post("/api/v1/signals", body, format="json").json()["added"] == 24


def signal(number: int) -> dict[str, Any]:
    return {
        "external_id": f"run-{number}",
        "at": {"call": 1},
        "kind": "category",
        "value": "ignored_check",
        "source": "abnormal",
        "version": "1",
    }


def ask(client: Client, project: Project, passed: bool, asked: str = ASKED) -> Any:
    path = "docs/new.txt"
    result = "pass" if passed else "fail: expected red"
    body = {
        "project": project.pk,
        "instruction": asked.format(path),
        "history": [{"name": "run_check", "arguments": {"path": path}, "result": result}],
        "call": {"name": "publish", "arguments": f'{{"path": "{path}"}}'},
    }
    return client.post("/api/v1/guard/check", body, format="json").json()


def test_mined_rules_watch_then_decide_then_rest(
    runs: None, as_researcher: Client, as_annotator: Client, project: Project
) -> None:
    begun = as_researcher.act("/api/v1/guard/mine", {"project": project.pk})
    job_run(begun.json()["id"])
    job = Job.objects.get(pk=begun.json()["id"])
    assert job.status == "done", job.error
    listed = as_researcher.get(f"/api/v1/guard/rules?project={project.pk}").json()["results"]
    assert len(listed) == 1
    (rule,) = listed
    assert (rule["state"], rule["version"], rule["family"]) == ("shadow", 1, "ignored_check")
    assert "anyway" in rule["trigger"]["none"]
    assert rule["figures"]["support"] == len(rule["provenance"]) == 24

    watched = ask(as_annotator, project, passed=False)
    assert (watched["decision"], watched["shadow"]) == ("allow", [rule["id"]])

    promoted = as_researcher.act(f"/api/v1/guard/rules/{rule['id']}/promote")
    assert promoted.json()["state"] == "active", promoted.json()
    decided = ask(as_annotator, project, passed=False)
    assert (decided["decision"], decided["rules"]) == ("block", [rule["id"]])
    assert decided["alternative"]
    assert ask(as_annotator, project, passed=True)["decision"] == "allow"
    anyway = ASKED.replace(".", " anyway.")
    assert ask(as_annotator, project, passed=False, asked=anyway)["decision"] == "allow"
    states = list(GuardDecision.objects.order_by("pk").values_list("state", flat=True))
    assert states == ["shadow", "active"]

    # Mining the same runs again finds the same rule; resting is a further row.
    job_run(as_researcher.act("/api/v1/guard/mine", {"project": project.pk}).json()["id"])
    assert GuardRule.objects.count() == 1
    as_researcher.act(f"/api/v1/guard/rules/{rule['id']}/retire")
    assert ask(as_annotator, project, passed=False)["decision"] == "allow"


def write(client: Client, project: Project, **more: Any) -> Any:
    body = {"project": project.pk, "key": "no-publish", "pattern": ["tool=publish"], **more}
    return client.act("/api/v1/guard/rules", body)


def test_a_rule_that_stops_more_good_than_bad_stays_where_it_is(
    runs: None, as_researcher: Client, project: Project
) -> None:
    """The gate counts both: all publish, 24 of 70 wrongly, and no check was wrong."""
    made = write(as_researcher, project, action="ask")
    assert made.status_code == 201, made.json()
    refused = as_researcher.act(f"/api/v1/guard/rules/{made.json()['id']}/promote")
    # All of 24 anomalous calls against 46 of 116 others: blunt, but worth it by the gate.
    assert refused.json()["state"] == "active"
    checks = write(as_researcher, project, key="no-check", pattern=["tool=run_check"]).json()
    closed = as_researcher.act(f"/api/v1/guard/rules/{checks['id']}/promote")
    assert (closed.status_code, closed.json()["code"]) == (409, "gate_closed")
    assert closed.json()["figures"]["right_calls"] == 0


def test_one_version_of_a_rule_decides(runs: None, as_researcher: Client, project: Project) -> None:
    first = write(as_researcher, project).json()
    as_researcher.act(f"/api/v1/guard/rules/{first['id']}/promote")
    second = write(as_researcher, project, pattern=PATTERN).json()
    assert (second["version"], second["state"]) == (2, "shadow")
    assert ask(as_researcher, project, passed=True)["rules"] == [first["id"]]
    as_researcher.act(f"/api/v1/guard/rules/{second['id']}/promote")
    assert ask(as_researcher, project, passed=True)["decision"] == "allow"
    assert ask(as_researcher, project, passed=False)["rules"] == [second["id"]]
    again = write(as_researcher, project, pattern=PATTERN).json()
    assert again["id"] == second["id"]


def test_a_written_trigger_decides_where_the_rule_is_active(
    runs: None, as_researcher: Client, project: Project
) -> None:
    trigger = {"any": ["publish"], "none": ["anyway"]}
    made = write(as_researcher, project, pattern=PATTERN, trigger=trigger, action="ask").json()
    assert (made["trigger"], made["action"]) == (trigger, "ask")
    as_researcher.act(f"/api/v1/guard/rules/{made['id']}/promote")
    assert ask(as_researcher, project, passed=False)["decision"] == "ask"
    anyway = ASKED.replace(".", " anyway.")
    assert ask(as_researcher, project, passed=False, asked=anyway)["decision"] == "allow"


def test_only_researchers_keep_rules_and_others_learn_nothing(
    as_annotator: Client, as_researcher: Client, project: Project, stranger: Any
) -> None:
    assert write(as_annotator, project).status_code == 403
    pk = write(as_researcher, project).json()["id"]
    assert as_annotator.act(f"/api/v1/guard/rules/{pk}/promote").status_code == 404
    assert as_annotator.get(f"/api/v1/guard/rules?project={project.pk}").status_code == 403
    assert ask(as_annotator, Project(pk=10**6), passed=True)["code"] == "not_found"


@pytest.mark.parametrize(
    "more",
    [{"pattern": []}, {"pattern": ["publish"]}, {"key": "a b"}, {"action": "kill"}, {"x": 1}],
)
def test_a_bad_rule_is_refused(
    as_researcher: Client, project: Project, more: dict[str, Any]
) -> None:
    assert write(as_researcher, project, **more).status_code == 422
    assert GuardRule.objects.count() == 0


def test_odd_calls_are_answered(as_annotator: Client, project: Project) -> None:
    for arguments in ("{broken", [1], None, "", {"a": {"b": [1, None]}}):
        body = {
            "project": project.pk,
            "instruction": "",
            "call": {"name": "x", "arguments": arguments},
        }
        said = as_annotator.post("/api/v1/guard/check", body, format="json")
        assert said.json()["decision"] == "allow", said.json()
