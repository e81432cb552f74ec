"""A choice is what was chosen last: clicking through the values leaves one answer."""

from __future__ import annotations

from annotate.models import Draft, Submission
from stet.projects.models import Project
from stet.traces.models import Episode
from tests.annotate.test_acts import do
from tests.annotate.test_acts import episode as episode
from tests.annotate.test_drafts import draft, save
from tests.annotate.test_questions import STARS, TONE, WHY, ask
from tests.conftest import Client


def test_only_the_last_choice_is_an_answer(
    as_owner: Client, as_annotator: Client, project: Project, episode: Episode
) -> None:
    ask(as_owner, project, TONE, WHY, STARS)
    clicks = [
        {"tone": "good"},
        {"tone": "bad"},
        {"tone": "bad", "why": ["rude"]},
        {"tone": "bad", "why": ["rude", "dull"]},
        {"tone": "bad", "why": ["dull"], "stars": 1},
        {"tone": "bad", "why": ["dull"], "stars": 4},
    ]
    for version, answers in enumerate(clicks):
        assert save(as_annotator, episode, version, answers=answers).status_code == 204
    assert draft(as_annotator, episode).data["answers"] == clicks[-1]
    assert Draft.objects.filter(episode=episode).count() == 1
    assert do(as_annotator, episode, "submit", answers=clicks[-1]).status_code == 200
    assert Submission.objects.get().answers == clicks[-1]
