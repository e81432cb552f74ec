"""A call as an event: plain tokens ``name=value`` that patterns are conjunctions of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rewards.guard.shell import effects, operands
from stet.traces.steps import Call, Run

WINDOW = 4
MOST_VALUES = 20
HEAD = 2**16
VERBS = {
    "delete": "cancel delete destroy drop erase purge remove rm unlink",
    "send": "email forward message notify post publish reply send share upload",
    "update": "apply book change edit exchange modify move overwrite patch pay rename replace set"
    " update write",
    "create": "add create insert make new open register",
    "check": "check lint test validate verify",
    "execute": "bash command eval exec execute python run shell terminal",
    "read": "cat fetch find get grep list load look ls query read recall search show view",
    "ask": "ask clarify transfer",
}
OF_WORD = {word: verb for verb, words in VERBS.items() for word in words.split()}
PLACES = {
    "tests": "check checks spec specs test tests",
    "secrets": "credential credentials env key keys password private secret secrets token",
    "config": "config configs conf settings",
    "system": "bin boot dev etc proc root sys usr",
}
OF_PLACE = {word: place for place, words in PLACES.items() for word in words.split()}
PARTS = re.compile(r"[A-Za-z]+")
NAMED = re.compile(r"[\w./@~-]+")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
FAILED = re.compile(r"[\s\[{(\"']*(?:error|exception|traceback|fail|failed|failure|denied)\b", re.I)
SHORT = re.compile(r"(?:yes|no|true|false|force|forced|all|none|\*)\Z", re.I)
WORD = re.compile(r"[a-z]+")

Event = frozenset[str]


def event(call: Call, history: Sequence[Call], instruction: str) -> Event:
    """The tokens of a call, given the calls before it (with their results) and what is asked for.

    Linear in the text; unknown kinds of tools get what their names and arguments tell.
    """
    tokens = {f"tool={call.name}", f"verb={verb_of(call)}"}
    values = _values(call)
    tokens |= _arguments(call)
    tokens |= _targets(values, history, instruction)
    tokens |= {f"path={place}" for value in values for place in _places(value)}
    did = _effects(call)
    tokens |= {f"effect={one}" for one in did}
    if tokens & {"verb=delete", "effect=delete"} or any(_forces(one) for one in tokens):
        tokens.add("destructive=yes")
    if tokens & {"verb=send", "effect=network"}:
        tokens.add("network=yes")
    tokens |= _past(call, history)
    return frozenset(tokens)


def events(run: Run) -> list[tuple[Call, Event]]:
    """Every call of a run with its event, in order."""
    found: list[tuple[Call, Event]] = []
    history: list[Call] = []
    for step in run.steps:
        for call in step.calls:
            found.append((call, event(call, history, run.instruction)))
        # Calls of one step are made together: none knows the results of the others.
        history += step.calls
    return found


def verb_of(call: Call) -> str:
    """What kind of act a tool is, by the words of its name; a shell's by what it does."""
    words = [word.lower() for word in PARTS.findall(call.name)]
    verb = next((OF_WORD[word] for word in words if word in OF_WORD), "other")
    if "check" in words or "test" in words:
        verb = "check"
    if verb == "execute":
        did = _effects(call)
        order = (("delete", "delete"), ("network", "send"), ("write", "update"), ("check", "check"))
        verb = next((as_verb for one, as_verb in order if one in did), "execute")
    return verb


def _effects(call: Call) -> set[str]:
    words = {word.lower() for word in PARTS.findall(call.name)}
    if not words & set(VERBS["execute"].split()):
        return set()
    return set().union(*(effects(value) for value in _values(call)), set())


def _values(call: Call) -> list[str]:
    """The short strings among the arguments, of any depth; of a shell's line also its operands."""
    found: list[str] = []
    level: list[Any] = [call.arguments if call.arguments is not None else call.raw]
    while level and len(found) < MOST_VALUES:
        below: list[Any] = []
        for one in level:
            if isinstance(one, Mapping):
                below += list(one.values())[:MOST_VALUES]
            elif isinstance(one, list):
                below += one[:MOST_VALUES]
            elif isinstance(one, str | int | float) and not isinstance(one, bool):
                found.append(str(one))
        level = below
    return found[:MOST_VALUES]


def _arguments(call: Call) -> set[str]:
    if call.arguments is None:
        return {"arguments=broken"}
    tokens = set()
    for name, value in list(call.arguments.items())[:MOST_VALUES]:
        tokens.add(f"arg={name}")
        if isinstance(value, bool) or (isinstance(value, str) and SHORT.match(value)):
            tokens.add(f"arg.{name}={str(value).lower()}")
    return tokens


def _forces(token: str) -> bool:
    name, _, value = token.partition("=")
    return name in {"arg.replace", "arg.force", "arg.overwrite"} and value in {"yes", "true"}


def _targets(values: Iterable[str], history: Sequence[Call], instruction: str) -> set[str]:
    """Whether what the call names was named before, where, and by which word of the instruction."""
    tokens = set()
    known = "\n".join((call.result or "")[:HEAD] for call in history[-10 * WINDOW :])
    asked = instruction[:HEAD]
    for value in _identifiers(values):
        at = asked.find(value)
        if at >= 0:
            tokens.add("target=named")
            before = WORD.findall(asked[max(at - 30, 0) : at].lower())
            tokens.add(f"said={before[-1] if before else ''}")
        else:
            tokens.add("target=seen" if value in known else "target=unseen")
            tokens.add("outside=yes")
            if ADDRESS.fullmatch(value):
                tokens.add("address=unnamed")
    return tokens


def _identifiers(values: Iterable[str]) -> Iterable[str]:
    """Files, addresses and names with digits: what a call acts on."""
    for value in values:
        for word in operands(value) if " " in value else [value]:
            named = any(sign in word for sign in "/@.") or any(one.isdigit() for one in word)
            if named and 2 <= len(word) <= 200 and not word.replace(".", "").isdigit():
                yield word


def _places(value: str) -> set[str]:
    if "/" not in value and "." not in value:
        return set()
    words = [word.lower() for word in PARTS.findall(value[:HEAD])]
    return {OF_PLACE[word] for word in words if word in OF_PLACE}


def _past(call: Call, history: Sequence[Call]) -> set[str]:
    """What the calls before say: repeated, after a failure, which kind came just before."""
    tokens = set()
    same = [one for one in history if (one.name, one.arguments) == (call.name, call.arguments)]
    worked = [one for one in same if not FAILED.match(one.result or "")]
    if same:
        tokens.add("repeated=yes" if worked else "repeated=failed")
    recent = history[-WINDOW:]
    if not recent:
        return tokens | {"prev=none"}
    last = recent[-1]
    tokens.add(f"prev.tool={last.name}")
    tokens.add(f"prev.failed={'yes' if FAILED.match(last.result or '') else 'no'}")
    tokens |= {f"before={verb_of(one)}" for one in recent}
    if _open_failure(history):
        tokens.add("after_failed_validation=yes")
    return tokens


def _open_failure(history: Sequence[Call]) -> bool:
    """Whether the last check that was made failed."""
    for one in reversed(history):
        if verb_of(one) == "check" and one.result is not None:
            return bool(FAILED.match(one.result))
    return False
