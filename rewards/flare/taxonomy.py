"""The classes of errors that a step can make, each with the advice that a policy is given."""

from __future__ import annotations

from enum import StrEnum


class ErrorClass(StrEnum):
    """What goes wrong at a step."""

    NONE = "none"
    BAD_ARGUMENTS = "bad_arguments"
    UNFOUNDED_ARGUMENT = "unfounded_argument"
    REPEATED_CALL = "repeated_call"
    IGNORED_FAILURE = "ignored_failure"
    ACTED_WITHOUT_LOOKING = "acted_without_looking"
    NO_PROGRESS = "no_progress"
    WRONG_TARGET = "wrong_target"
    DROPPED_CHECK = "dropped_check"
    GAVE_UP = "gave_up"


ADVICE = {
    ErrorClass.NONE: "",
    ErrorClass.BAD_ARGUMENTS: "Write the arguments as the tool's schema asks for them.",
    ErrorClass.UNFOUNDED_ARGUMENT: "Look the value up first; nothing so far says it.",
    ErrorClass.REPEATED_CALL: "This call was made before; use its result or change something.",
    ErrorClass.IGNORED_FAILURE: "The last call failed; deal with its message before going on.",
    ErrorClass.ACTED_WITHOUT_LOOKING: "Read what is there before you change it.",
    ErrorClass.NO_PROGRESS: "Nothing new was learned for some steps; try another way.",
    ErrorClass.WRONG_TARGET: "Act only on what the task names.",
    ErrorClass.DROPPED_CHECK: "Check the outcome before you say that it is done.",
    ErrorClass.GAVE_UP: "The task can be done with the tools at hand; try before handing it over.",
}


class Level(StrEnum):
    """How bad: a mild slip recovers by itself, a critical one decides the run."""

    OK = "ok"
    MINOR = "minor"
    MAJOR = "major"
    CRITICAL = "critical"


BOUNDS = ((0.25, Level.OK), (0.5, Level.MINOR), (0.75, Level.MAJOR))


def level_of(risk: float) -> Level:
    """The level of a risk in [0, 1]."""
    return next((level for bound, level in BOUNDS if risk < bound), Level.CRITICAL)


def diagnosis(risk: float, error: ErrorClass, advice: str | None = None) -> dict[str, object]:
    """The value of a FLARE signal."""
    return {
        "risk": round(risk, 6),
        "level": level_of(risk).value,
        "class": error.value,
        "advice": ADVICE[error] if advice is None else advice,
    }
