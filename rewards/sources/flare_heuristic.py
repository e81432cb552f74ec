"""The baseline of FLARE: rules of thumb about each step, from what was visible when it was made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rewards.flare.taxonomy import ErrorClass, diagnosis
from rewards.registry import source
from rewards.verdict import Kind, Trace, Verdict, excerpt
from stet.traces.steps import Call, Run, Step

WEIGHTS = {
    ErrorClass.BAD_ARGUMENTS: 0.8,
    ErrorClass.UNFOUNDED_ARGUMENT: 0.6,
    ErrorClass.REPEATED_CALL: 0.5,
    ErrorClass.IGNORED_FAILURE: 0.6,
    ErrorClass.ACTED_WITHOUT_LOOKING: 0.4,
    ErrorClass.NO_PROGRESS: 0.3,
}
FAILED = re.compile(r"[\s\[{(\"']*(?:error|exception|traceback|failed|failure|not found)\b", re.I)
CHANGES = re.compile(
    r"(?:^|_)(?:add|book|cancel|create|delete|edit|exchange|modify|move|pay|remove|rename|return"
    r"|send|set|update|write)(?:_|$)",
    re.I,
)
# A name that a model cannot guess: letters and digits together, or a number of four digits or more.
IDENTIFIER = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z_])\w{4,}|\d{4,}")
HEAD = 2**16
LOOKED_AT = 50
STILL = 3

Found = Iterator[tuple[ErrorClass, str, list[int]]]


class Watch:
    """What a reader of the run knows before each step."""

    def __init__(self, run: Run) -> None:
        self.known = set(IDENTIFIER.findall(run.instruction[:HEAD]))
        self.schemas = dict(_schema(tool) for tool in run.tools)
        self.made: dict[tuple[str, str], tuple[int, int]] = {}
        self.changes = 0
        self.looked = False
        self.failed: Call | None = None
        self.results: set[int] = set()
        self.still = 0

    def faults(self, step: Step) -> Found:
        """(class, quote, earlier calls) of what is wrong with a step."""
        self.known.update(IDENTIFIER.findall(step.before[:HEAD]))
        for call in step.calls:
            yield from self._bad(call)
            yield from self._unfounded(call)
            before = self.made.get((call.name, call.raw))
            if before is not None and before[1] == self.changes:
                yield ErrorClass.REPEATED_CALL, call.raw, [before[0]]
            if CHANGES.search(call.name) and not self.looked:
                yield ErrorClass.ACTED_WITHOUT_LOOKING, call.name, []
        if self.failed is not None and not step.calls and not step.before:
            yield ErrorClass.IGNORED_FAILURE, self.failed.result or "", [self.failed.ordinal]
        if self.still >= STILL and step.calls:
            yield ErrorClass.NO_PROGRESS, "", []

    def learn(self, step: Step) -> None:
        """What the results of a step tell."""
        self.failed = None
        new = False
        for call in step.calls:
            self.made[call.name, call.raw] = (call.ordinal, self.changes)
            changes = bool(CHANGES.search(call.name))
            self.changes += changes
            self.looked = self.looked or not changes
            result = (call.result or "")[:HEAD]
            self.known.update(IDENTIFIER.findall(result))
            if FAILED.match(result):
                self.failed = call
            new = new or hash(result) not in self.results
            self.results.add(hash(result))
        self.still = 0 if new or step.before or not step.calls else self.still + 1

    def _bad(self, call: Call) -> Found:
        schema = self.schemas.get(call.name)
        if call.arguments is None and call.raw.strip() not in ("", "null"):
            yield ErrorClass.BAD_ARGUMENTS, call.raw, []
        elif self.schemas and schema is None:
            yield ErrorClass.BAD_ARGUMENTS, call.name, []
        elif schema is not None:
            given = call.arguments or {}
            missing = [name for name in schema.get("required", ()) if name not in given]
            if missing:
                yield ErrorClass.BAD_ARGUMENTS, ", ".join(map(str, missing)), []

    def _unfounded(self, call: Call) -> Found:
        for name in IDENTIFIER.findall(call.raw[:HEAD])[:LOOKED_AT]:
            if name not in self.known and name not in (call.arguments or {}):
                yield ErrorClass.UNFOUNDED_ARGUMENT, name, []
                return


def _schema(tool: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    function = tool.get("function", tool)
    own = function if isinstance(function, Mapping) else {}
    takes = own.get("parameters")
    takes = takes if isinstance(takes, Mapping) else {}
    required = takes.get("required")
    return str(own.get("name", "")), {"required": required if isinstance(required, list) else []}


@source("flare-heuristic", version="1", of="run")
def flare_heuristic(trace: Trace) -> Iterator[Verdict]:
    """Structured, one diagnosis for each step of a run that calls tools; linear in its text."""
    if trace.run is None or not any(step.calls for step in trace.run.steps):
        return
    watch = Watch(trace.run)
    for step in trace.run.steps:
        safe, worst = 1.0, ErrorClass.NONE
        evidence: dict[str, Any] = {"steps": [], "calls": [], "quote": ""}
        for error, quote, calls in watch.faults(step):
            safe *= 1 - WEIGHTS[error]
            if worst is ErrorClass.NONE or WEIGHTS[error] > WEIGHTS[worst]:
                worst = error
                evidence = {"steps": [step.ordinal], "calls": calls, "quote": excerpt(quote)}
        watch.learn(step)
        yield Verdict(
            Kind.STRUCTURED, diagnosis(1 - safe, worst), evidence=evidence, step=step.ordinal
        )
