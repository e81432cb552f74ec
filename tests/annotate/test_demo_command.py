"""``manage.py demo``: as often as one likes, with passwords made for this machine alone."""

from __future__ import annotations

import json
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from annotate.selectors import question_list
from annotate.services import question_retire
from stet.accounts.models import ApiToken, User
from stet.projects.demo import demo_agent_runs, demo_tasks
from stet.projects.models import Guideline, Project, Task
from stet.projects.services import guideline_create
from stet.traces.models import Episode
from tests.policies.folders import byte_level


@pytest.fixture(autouse=True)
def folders(db: None, tmp_path: Path, settings: Settings) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    settings.TOKENIZER_DIR = byte_level(tmp_path / "model")
    return tmp_path


def load(*arguments: str) -> str:
    out = StringIO()
    call_command("demo", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def sign_ins(folder: Path) -> dict[str, str]:
    stored: dict[str, dict[str, str]] = json.loads(
        (folder / "data" / "demo-sign-ins.json").read_text()
    )
    return stored["passwords"]


def test_it_makes_people_a_project_tasks_and_traces(folders: Path) -> None:
    said = load()
    project = Project.objects.get(name="Demo")
    assert Task.objects.filter(project=project).count() == len(demo_tasks()) + len(
        demo_agent_runs()
    )
    assert Episode.objects.count() == len(demo_agent_runs())
    assert "改" in Guideline.objects.get().text
    roles = dict(project.memberships.values_list("user__username", "role"))
    assert roles == {name: name for name in ("annotator", "reviewer", "researcher", "owner")}
    for name, password in sign_ins(folders).items():
        assert password in said
        assert len(password) >= 12
        assert authenticate(username=name, password=password) is not None


def test_again_it_changes_nothing(folders: Path) -> None:
    first = load()
    before = (sign_ins(folders), Task.objects.count(), ApiToken.objects.count())
    second = load()
    assert before == (sign_ins(folders), Task.objects.count(), ApiToken.objects.count())
    assert first.split("Sign in")[1] == second.split("Sign in")[1]
    assert "(0 new)" in second


def test_the_file_of_passwords_is_for_its_owner_alone(folders: Path) -> None:
    load()
    mode = (folders / "data" / "demo-sign-ins.json").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_two_installations_share_no_password(folders: Path, settings: Settings) -> None:
    load()
    first = sign_ins(folders)
    User.objects.all().update(is_active=True)
    settings.DATA_DIR = folders / "other"
    load()
    other = json.loads((folders / "other" / "demo-sign-ins.json").read_text())["passwords"]
    assert not set(first.values()) & set(other.values())


def test_the_key_of_the_trainer_opens_the_api(folders: Path) -> None:
    load()
    key = json.loads((folders / "data" / "demo-sign-ins.json").read_text())["token"]
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    names = [row["name"] for row in client.get("/api/v1/projects").json()["results"]]
    assert names == ["Demo"]


def test_it_touches_no_account_of_others(folders: Path) -> None:
    own = User.objects.create_user("owner", password="my own pass phrase")
    with pytest.raises(CommandError):
        load()
    own.refresh_from_db()
    assert own.check_password("my own pass phrase")
    assert not Project.objects.exists()


def test_a_guideline_of_ones_own_stays(folders: Path) -> None:
    load()
    project = Project.objects.get(name="Demo")
    owner = User.objects.get(username="owner")
    guideline_create(project=project, user=owner, text="Mine.")
    load()
    assert Guideline.objects.order_by("-version").first() is not None
    assert Guideline.objects.count() == 2


def test_the_pages_show_what_was_loaded(folders: Path) -> None:
    load()
    client = Client()
    password = sign_ins(folders)["owner"]
    client.post("/sign-in", {"username": "owner", "password": password})
    project = Project.objects.get(name="Demo")
    assert "Demo" in client.get("/").text
    assert client.get(f"/projects/{project.pk}/").status_code == 200


def test_files_given_by_a_path_are_imported(folders: Path) -> None:
    traces = folders / "traces.jsonl"
    run = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    traces.write_text(json.dumps({"id": "one", "messages": run}))
    solutions = folders / "math.jsonl"
    solution = {"is_correct": True, "solution": "1 + 1 = 2"}
    problem = {"question": "What is 1 + 1?", "ground_truth": "2", "a": solution, "b": solution}
    solutions.write_text(json.dumps(problem))
    arguments = ["--traces", str(traces), "--math", str(solutions)]
    load(*arguments)
    load(*arguments)
    names = Task.objects.filter(external_id__startswith="math-").values_list("external_id")
    assert sorted(name for (name,) in names) == ["math-0001-a", "math-0001-b"]
    assert Task.objects.filter(external_id="one").count() == 1


def test_a_path_without_a_file_is_named(folders: Path) -> None:
    with pytest.raises(CommandError, match="nowhere"):
        load("--traces", str(folders / "nowhere.jsonl"))


def test_the_real_files_are_read_in_place(folders: Path, shared_data: Path) -> None:
    said = load("--traces", str(shared_data / "agent-traces-airline.jsonl"))
    assert "100 (100 new)" in said


def test_it_asks_its_questions_once_and_brings_back_none_that_was_retired(folders: Path) -> None:
    load()
    project = Project.objects.get(name="Demo")
    assert [question.key for question in question_list(project.pk)] == ["ready", "missing"]
    for question in reversed(question_list(project.pk)):
        question_retire(user=project.memberships.get(role="owner").user, question_id=question.pk)
    load()
    assert question_list(project.pk) == []
