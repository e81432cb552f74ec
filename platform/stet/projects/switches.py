"""The switches of a project and their defaults; ``Project.settings`` holds what differs."""

from __future__ import annotations

from typing import Any, TypedDict, cast

from stet.projects.models import Project


class Switches(TypedDict):
    """``review``: submissions wait for a reviewer. ``heat``: improbable tokens are underlined.

    ``sampling``: what answers are sampled with unless the person asks otherwise.
    ``reasons``: what a corrector may choose from to say why.
    ``gold_share``: how much of what a person gets are tasks with a known answer.
    ``skips_to_flag``: after so many people skipped a task, it leaves the queue for the owner.
    ``jump``: a key goes to the next token that the model was unsure of.
    ``lookahead``: what would follow the leading candidates is sampled while they are read.
    """

    review: bool
    heat: bool
    sampling: dict[str, Any]
    reasons: list[str]
    gold_share: float
    skips_to_flag: int
    lookahead: bool
    jump: bool


DEFAULTS: Switches = {
    "review": False,
    "heat": False,
    "sampling": {},
    "reasons": [],
    "gold_share": 0.0,
    "skips_to_flag": 3,
    "lookahead": True,
    "jump": True,
}


def switches(project: Project) -> Switches:
    """All switches of the project, with the defaults where it says nothing."""
    known = {name: project.settings[name] for name in DEFAULTS if name in project.settings}
    return cast("Switches", {**DEFAULTS, **known})
