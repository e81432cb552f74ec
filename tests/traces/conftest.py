"""An episode with an answer, made from rows: no model server, no web process."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import pytest

from stet.accounts.models import User
from stet.common.packing import pack_floats, pack_ids
from stet.policies.models import PolicyVersion
from stet.policies.services import policy_activate, policy_register
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project, Task
from stet.traces import selectors
from stet.traces.models import Chunk, Episode, Generation, Segment
from stet.traces.sealing import generation_seal
from stet.traces.services import episode_begin
from tests.scripted.use import small_folder

K = 3
Answer = Callable[..., Segment]


def ids_of(text: str) -> list[int]:
    return load_tokenizer(small_folder()).encode(text)


@pytest.fixture
def policy(project: Project, owner: User) -> PolicyVersion:
    policy = policy_register(
        name="small", served_name="small", folder=small_folder(), max_len=400, engine={}
    )
    policy_activate(project=project, policy=policy, author=owner)
    return policy


@pytest.fixture
def episode(task: Task, annotator: User, policy: PolicyVersion) -> Episode:
    return episode_begin(task=task, author=annotator, policy=policy)


def generation_at(episode: Episode) -> Generation:
    """A running generation that continues the head, as *continue* leaves it."""
    head = selectors.head_resolved(episode.head_segment_id, episode.head_length)
    assert head is not None
    path = selectors.path_to(*head)
    assert episode.policy is not None
    generation = Generation.objects.create(
        task_id=episode.task_id,
        round=episode.round,
        episode=episode,
        parent=path.tip.segment,
        fork_at=path.tip.length,
        start=path.length,
        policy=episode.policy,
        sampling=episode.sampling,
        logprobs_mode=episode.policy.logprobs_mode,
    )
    episode.head_segment_id, episode.head_length = generation.segment_id, None
    episode.save()
    return generation


def arrive(generation: Generation, ids: Sequence[int], start: int = 0) -> Chunk:
    """Tokens in the log: each sampled one has -0.5 and two others beside it."""
    n = len(ids)
    beside = [x for token in ids for x in (token, token + 1, -1)]
    scores = [x for _ in ids for x in (-0.5, float("-inf"), float("nan"))]
    return Chunk.objects.create(
        generation=generation,
        start=start,
        seq=start + n,
        k=K,
        ids=pack_ids(ids),
        logprobs=pack_floats([-0.5] * n),
        candidate_ids=array("i", beside).tobytes(),
        candidate_logprobs=array("f", scores).tobytes(),
    )


def answer(episode: Episode, ids: Sequence[int], status: str = "done") -> Segment:
    """A sealed answer at the head."""
    generation = generation_at(episode)
    arrive(generation, ids)
    generation_seal(generation.pk, status=status, finish_reason="stop")
    episode.refresh_from_db()
    return Segment.objects.get(pk=generation.segment_id)


@pytest.fixture
def segment(episode: Episode) -> Segment:
    """An answer of the model of that episode."""
    return answer(episode, ids_of("Rain on the roof, soft and then hard."))
