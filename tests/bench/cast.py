"""People, tasks and episodes to measure with, made through the services."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from tests.scripted.texts import SENTENCES

_numbers = count(1)


@dataclass(frozen=True)
class Desk:
    """An episode at its bare prompt, and the key of the person who works on it."""

    key: str
    episode: int
    prompt: list[int]
    salt: str
    sampling: dict[str, Any]
    model: str


class Cast:
    """One project that samples from one policy."""

    def __init__(self, *, served_name: str, tokenizer: Path, max_len: int = 4096) -> None:
        from stet.accounts.models import User
        from stet.policies.services import policy_activate, policy_register
        from stet.projects.services import project_create

        self.tokenizer, self.served_name = tokenizer, served_name
        self.owner = User.objects.create_user(f"owner-{next(_numbers)}")
        self.project = project_create(user=self.owner, name=f"Bench {next(_numbers)}")
        self.policy = policy_register(
            name=served_name,
            served_name=served_name,
            folder=tokenizer,
            max_len=max_len,
            engine={},
        )
        policy_activate(project=self.project, policy=self.policy, author=self.owner)
        self._people: list[tuple[Any, str]] = []

    def desks(self, n: int, *, words: int = 40, **sampling: Any) -> list[Desk]:
        """``n`` fresh episodes of ``n`` people, each on a prompt of about ``words`` words."""
        people = islice(self._all(), n)
        return [self._desk(user, key, words, sampling) for user, key in people]

    def _all(self) -> Iterator[tuple[Any, str]]:
        yield from self._people
        while True:
            self._people.append(self._person())
            yield self._people[-1]

    def _person(self) -> tuple[Any, str]:
        from stet.accounts.models import User
        from stet.accounts.roles import Role
        from stet.accounts.services import token_create
        from stet.projects.models import Membership

        user = User.objects.create_user(f"annotator-{next(_numbers)}")
        Membership.objects.create(project=self.project, user=user, role=Role.ANNOTATOR)
        return user, token_create(user=user, name="bench")[1]

    def _desk(self, user: Any, key: str, words: int, sampling: dict[str, Any]) -> Desk:
        from stet.common.packing import unpack_ids
        from stet.projects.services import task_create
        from stet.traces.services import episode_begin

        number = next(_numbers)
        chosen = random.Random(number)
        text = f"Letter {number}."
        while len(text.split()) < words:
            text += " " + chosen.choice(SENTENCES[:8])
        row = {"external_id": f"{number}", "messages": [{"role": "user", "content": text}]}
        task = task_create(project=self.project, row=row)
        episode = episode_begin(task=task, author=user, policy=self.policy, sampling=sampling)
        return Desk(
            key=key,
            episode=episode.pk,
            prompt=list(unpack_ids(bytes(episode.head_segment.ids))),
            salt=f"stetproject{self.project.pk:08d}",
            sampling=episode.sampling,
            model=self.policy.served_name,
        )
