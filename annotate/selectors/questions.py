"""The questions of a project as they are asked now."""

from __future__ import annotations

from django.db.models import QuerySet

from annotate.models import Draft, Question


def question_versions(project_id: int) -> QuerySet[Question]:
    """The newest version of each key, the retired ones too."""
    newest = Question.objects.filter(project_id=project_id).order_by("key", "-version")
    return Question.objects.filter(pk__in=newest.distinct("key").values("pk"))


def question_list(project_id: int) -> list[Question]:
    """The questions that are asked, in their order."""
    rows = question_versions(project_id).filter(retired=False)
    return list(rows.order_by("position", "pk"))


def question_keys(project_id: int) -> set[str]:
    """Every key that the project ever had."""
    return set(Question.objects.filter(project_id=project_id).values_list("key", flat=True))


def draft_of(episode_id: int) -> Draft:
    """The draft of an episode, or one of version 0 that is not stored."""
    found = Draft.objects.filter(episode_id=episode_id).first()
    return found or Draft(episode_id=episode_id)
