"""What the demo asks beside corrections."""

from __future__ import annotations

from typing import Any

from annotate.models import Question
from annotate.services import question_save
from stet.projects.models import Project

QUESTIONS: list[dict[str, Any]] = [
    {
        "key": "ready",
        "kind": "single",
        "label": "Is the answer ready to send? / 这个回答可以发出吗？",
        "options": [
            {"value": "yes", "label": "yes / 可以"},
            {"value": "edits", "label": "after edits / 修改后可以"},
            {"value": "no", "label": "no / 不可以"},
        ],
    },
    {
        "key": "missing",
        "kind": "text",
        "label": "What is still missing? / 还缺什么？",
        "condition": {"question": "ready", "equals": ["edits", "no"]},
    },
]


def demo_questions_ensure(*, project: Project, owner: Any) -> int:
    """Ask the demo's questions unless the project has ever had one; returns how many are new."""
    if Question.objects.filter(project=project).exists():
        return 0
    for fields in QUESTIONS:
        question_save(user=owner, project=project, **fields)
    return len(QUESTIONS)
