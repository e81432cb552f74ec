"""Tasks with a known answer: marked by owners, given unnoticed, scored for owners alone."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from annotate.gold import Score, left_at, sentence_of
from annotate.models import Submission
from annotate.selectors.gold import gold_scores
from annotate.services import gold_set
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.policies.samplers.base import Finish
from stet.projects.models import Project, Task
from stet.traces.models import Episode, Generation, Origin
from stet.traces.selectors import head_path
from stet.traces.services import segment_append
from stet.traces.services.generation import known_first
from stet.traces.streams.replay import replay_of, replayed
from tests.annotate.test_acts import do
from tests.annotate.test_queue import expire, next_of
from tests.conftest import Client, client_of, member
from tests.traces.conftest import answer, ids_of

TEXT = "Rain on the roof. It is dry inside. The end."


@pytest.fixture
def marked(as_owner: Client, project: Project, tasks: list[Task]) -> Task:
    """A task that the owner answered without a correction, marked with its fault by a quote."""
    project.settings = {"gold_share": 0.5}
    project.save()
    Task.objects.exclude(pk=tasks[2].pk).update(priority=-1)
    assert next_of(as_owner, project) == tasks[2].pk
    episode = Episode.objects.get()
    answer(episode, ids_of(TEXT))
    assert do(as_owner, episode, "submit").status_code == 200
    sent = {"fault": {"quote": "dry"}}
    got = as_owner.put(f"/api/v1/tasks/{tasks[2].pk}/gold", sent, format="json")
    assert got.status_code == 200, got.data
    tasks[2].refresh_from_db()
    return tasks[2]


def take(person: User, task: Task, monkeypatch: pytest.MonkeyPatch) -> Episode:
    """The task as the queue gives it to somebody, with its first answer."""
    monkeypatch.setattr("annotate.services.queue.secrets.randbelow", lambda _most: 0)
    client = client_of(person)
    assert next_of(client, task.project) == task.pk
    episode = Episode.objects.get(author=person, task=task)
    known = known_first(episode, head_path(episode))
    assert known is not None
    answer(episode, list(replay_of(known).ids))
    copy = Generation.objects.get(episode=episode)
    copy.engine = {"replay_of": str(known.pk)}
    copy.save()
    return episode


def correct(episode: Episode, index: int) -> None:
    """Type something instead of the token at an index of the first answer."""
    path = head_path(episode)
    kept = path.cut(path.tip.start + index)
    new = segment_append(episode=episode, path=kept, ids=ids_of("wet"), origin=Origin.HUMAN)
    episode.head_segment_id, episode.head_length = new.pk, new.length
    episode.save()


def test_a_fault_is_found_by_its_quote_with_its_sentence(marked: Task) -> None:
    gold = marked.gold or {}
    fault = gold["fault"]
    assert fault["quote"].lstrip().startswith("dry")
    episode = Episode.objects.get()
    path = head_path(episode)
    assert path.at(fault["position"])[1] == fault["index"]
    low, high = fault["sentence"]
    assert low < fault["index"] < high < path.tip.length


def test_who_gets_it_is_scored_by_where_the_answer_was_left(
    marked: Task, project: Project, monkeypatch: pytest.MonkeyPatch, as_owner: Client
) -> None:
    fault = (marked.gold or {})["fault"]
    places = {
        "exact": fault["index"],
        "near": fault["index"] + 2,
        "missed": None,
        "far": 0,
    }
    for name, index in places.items():
        person = member(project, name, Role.ANNOTATOR)
        episode = take(person, marked, monkeypatch)
        if index is not None:
            correct(episode, index)
        assert do(client_of(person), episode, "submit").status_code == 200
    got = as_owner.get(f"/api/v1/projects/{project.pk}/gold/scores").data["results"]
    table = {
        row["person"]["name"]: (row["detection"], row["exact"], row["near"], row["sentence"])
        for row in got
    }
    assert table == {
        "exact": (1, 1, 1, 1),
        "far": (1, 0, 0, 0),
        "missed": (0, 0, 0, 0),
        "near": (1, 0, 1, 1),
    }
    assert not Submission.objects.filter(extra=True).exists()
    assert len(gold_scores(project)) == 4


def test_it_is_never_given_twice_to_the_same_person_nor_when_the_model_is_another(
    marked: Task, project: Project, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = take(annotator, marked, monkeypatch)
    client = client_of(annotator)
    do(client, episode, "submit")
    assert next_of(client, project) != marked.pk
    other = member(project, "other", Role.ANNOTATOR)
    Task.objects.filter(pk=marked.pk).update(gold={**(marked.gold or {}), "policy": 0})
    assert next_of(client_of(other), project) != marked.pk


def test_it_comes_back_to_its_holder_like_any_other(
    marked: Task, project: Project, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = take(annotator, marked, monkeypatch)
    monkeypatch.undo()
    client = client_of(annotator)
    expire()
    assert next_of(client, project) == marked.pk
    do(client, episode, "later")
    Task.objects.exclude(pk=marked.pk).update(retired_at=marked.created_at)
    assert next_of(client, project) == marked.pk


def test_without_a_share_nobody_gets_it_and_progress_counts_without_it(
    marked: Task, project: Project, as_annotator: Client
) -> None:
    project.settings = {}
    project.save()
    seen = {next_of(client_of(member(project, f"p{n}", Role.ANNOTATOR)), project) for n in range(3)}
    assert marked.pk not in seen
    assert None in seen


def test_the_stored_answer_comes_again_token_by_token(marked: Task) -> None:
    first = Generation.objects.get()
    stored = replay_of(first)

    async def read() -> list[Any]:
        return [item async for item in replayed(stored)]

    items = asyncio.run(read())
    assert [item.ids[0] for item in items[:-1]] == list(stored.ids) == ids_of(TEXT)
    assert isinstance(items[-1], Finish)
    assert items[-1].finish_reason == first.finish_reason == "stop"
    assert len(items[0].candidate_ids) == items[0].k
    beside = [x for item in items[:-1] for x in item.candidate_ids]
    assert beside == list(stored.candidate_ids)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"fault": {"quote": "nowhere"}}, 422),
        ({"fault": {"quote": "e"}}, 422),
        ({"fault": {"position": 0}}, 422),
        ({"fault": {"position": 10**6}}, 422),
        ({"fault": {"position": 3, "quote": "dry"}}, 422),
        ({"fault": {}}, 422),
        ({"answers": {"nobody": 1}}, 422),
        ({"episode": 10**9}, 404),
        ({"other": 1}, 422),
        ({"fault": None}, 200),
        ({}, 200),
    ],
)
def test_what_cannot_be_marked(
    marked: Task, as_owner: Client, body: dict[str, Any], status: int
) -> None:
    got = as_owner.put(f"/api/v1/tasks/{marked.pk}/gold", body, format="json")
    assert got.status_code == status, got.data


def test_what_was_handed_in_says_where_the_fault_lies(
    as_owner: Client, owner: User, project: Project, tasks: list[Task]
) -> None:
    fresh = as_owner.put(f"/api/v1/tasks/{tasks[2].pk}/gold", {}, format="json")
    assert (fresh.status_code, fresh.data["code"]) == (409, "no_answer_yet")
    next_of(as_owner, project)
    episode = Episode.objects.get()
    answer(episode, ids_of(TEXT))
    correct(episode, 5)
    do(as_owner, episode, "submit")
    task = gold_set(user=owner, task=tasks[2])
    assert task.gold is not None
    assert task.gold["fault"]["index"] == 5
    assert as_owner.delete(f"/api/v1/tasks/{task.pk}/gold").status_code == 204
    task.refresh_from_db()
    assert task.gold is None


def test_only_owners_learn_of_it(
    marked: Task,
    project: Project,
    as_annotator: Client,
    as_reviewer: Client,
    as_researcher: Client,
    as_stranger: Client,
) -> None:
    for client, status in (
        (as_annotator, 403),
        (as_reviewer, 403),
        (as_researcher, 403),
        (as_stranger, 404),
    ):
        for path in (f"/projects/{project.pk}/gold", f"/projects/{project.pk}/gold/scores"):
            assert client.get(f"/api/v1{path}").status_code == status
        route = f"/api/v1/tasks/{marked.pk}"
        assert client.put(f"{route}/gold", {}, format="json").status_code == status
        assert client.delete(f"{route}/gold").status_code == status
        for act in ("put-back", "retire"):
            assert client.act(f"{route}/{act}").status_code == status
    settings = as_annotator.get(f"/api/v1/projects/{project.pk}").data["settings"]
    assert "gold_share" not in settings


def test_sentences_and_scores_are_counted_by_hand() -> None:
    texts = ["Rain", ".", " It", " is", " dry", "。", "里面", "！", "\n", "End"]
    assert sentence_of(texts, 4) == (2, 6)
    assert sentence_of(texts, 0) == (0, 2)
    assert sentence_of(texts, 6) == (6, 8)
    assert sentence_of(texts, 9)[1] == 10
    first, child, other = (Generation().pk for _ in range(3))
    tree = {first: (other, 4), child: (first, 3), other: (None, None)}
    assert left_at(tree, (child, 9), first, 8) == (True, 3)
    assert left_at(tree, (first, 8), first, 8) == (True, None)
    assert left_at(tree, (other, 2), first, 8) == (False, None)
    score = Score(User(username="x"))
    score.add({"fault": None, "answers": {"tone": "good", "n": 3, "why": ["a", "b"]}}, None, {
        "tone": "good", "n": True, "why": ["b", "a"],
    })  # fmt: skip
    said = score.document()
    assert (said["detection"], said["exact"], said["answers"]) == (1, None, 2 / 3)


TELLING = re.compile(r"gold|honey|known answer|replay|score", re.IGNORECASE)


def test_nothing_that_an_annotator_can_read_gives_it_away(
    marked: Task, project: Project, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = take(annotator, marked, monkeypatch)
    client = client_of(annotator)
    client.force_login(annotator)
    do(client, known, "submit")
    monkeypatch.undo()
    project.settings = {}
    project.save()
    other = Task.objects.get(pk=next_of(client, project))
    plain = Episode.objects.get(author=annotator, task=other)
    answer(plain, ids_of(TEXT))
    do(client, plain, "submit")
    project.settings = {"gold_share": 0.5}
    project.save()
    api = "/api/v1"
    both = [
        f"{api}/episodes/%(episode)d",
        f"{api}/episodes/%(episode)d?view=path",
        f"{api}/episodes/%(episode)d/draft",
        f"{api}/projects/%(project)d/comments?episode=%(episode)d",
        "/episodes/%(episode)d/",
    ]
    single = [
        f"{api}/projects",
        f"{api}/projects/%(project)d",
        f"{api}/projects/%(project)d/members",
        f"{api}/projects/%(project)d/questions",
        f"{api}/me/mentions",
        "/",
        "/work/",
        "/projects/%(project)d/",
        "/projects/%(project)d/progress/",
        "/projects/%(project)d/tasks/",
    ]
    for route in single:
        text = client.get(route % {"project": project.pk}).content.decode()
        assert not TELLING.search(text), route
    for route in both:
        said = []
        for episode in (known, plain):
            got = client.get(route % {"project": project.pk, "episode": episode.pk})
            assert got.status_code == 200
            said.append(re.sub(r"\d[\d:T.Z+-]*|[0-9a-f]{8,}[0-9a-f-]*", "0", got.content.decode()))
            assert not TELLING.search(said[-1]), route
        one, two = (set(re.findall(r'"(\w+)":', text)) for text in said)
        assert one == two, route
    tasks = client.get(f"/projects/{project.pk}/tasks/").content.decode()
    assert tasks.count("accepted") == 2
