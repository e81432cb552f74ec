"""A policy with the real tokenizer, and trees of one-token answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site

from stet.accounts.models import User
from stet.projects.models import Project
from tests.training.factories import Tree, policy_make


@pytest.fixture
def policy(db: None) -> Any:
    if not (Path(site.TOKENIZER_DIR) / "tokenizer.json").exists():
        pytest.skip("the model folder is absent: TOKENIZER_DIR names no tokenizer.json")
    return policy_make()


@pytest.fixture
def grow(project: Project, annotator: User, policy: Any) -> Callable[..., Tree]:
    """Begins an episode on a new task of the project."""

    def begin(question: str = "What is 2+3?", **task: Any) -> Tree:
        return Tree(project, annotator, policy, question, **task)

    return begin
