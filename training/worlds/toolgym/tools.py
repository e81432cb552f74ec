"""The tools of the world: what each does to a state and what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from training.worlds.base import Use
from training.worlds.toolgym.state import State

Tool = Callable[..., tuple[bool, str]]
TOOLS: dict[str, tuple[Tool, str, tuple[str, ...]]] = {}
NOT_REPEATABLE = frozenset(["add_credit", "open_ticket", "send_message"])


def tool(*parameters: str) -> Callable[[Tool], Tool]:
    def register(run: Tool) -> Tool:
        TOOLS[run.__name__] = (run, (run.__doc__ or "").strip(), parameters)
        return run

    return register


def use(state: State, call: Use) -> str:
    """Do the call. One that cannot be done changes only the log, and its answer says why."""
    done, answer = _done(state, call)
    state.log.append([call.name, json.dumps(dict(call.arguments), sort_keys=True), done])
    return answer


def _done(state: State, call: Use) -> tuple[bool, str]:
    if call.name not in state.offered or call.name not in TOOLS:
        return False, f"error: no tool {call.name}"
    run, _about, parameters = TOOLS[call.name]
    missing = [each for each in parameters if each not in call.arguments]
    if missing:
        return False, f"error: missing {missing[0]}"
    values = {str(name): str(value) for name, value in call.arguments.items()}
    odd = sorted(set(values) - set(parameters) - {"replace"})
    if odd or ("replace" in values and call.name != "book_slot"):
        return False, "error: unknown argument"
    return run(state, **values)


def schema(name: str) -> Mapping[str, Any]:
    """The tool as OpenAI's format offers it."""
    _run, about, parameters = TOOLS[name]
    kinds: dict[str, Any] = {each: {"type": "string"} for each in parameters}
    if name == "book_slot":
        kinds["replace"] = {"type": "string"}
    body = {"type": "object", "properties": kinds, "required": list(parameters)}
    return {
        "type": "function",
        "function": {"name": name, "description": about, "parameters": body},
    }


@tool("path")
def read_file(state: State, path: str) -> tuple[bool, str]:
    """Read a file."""
    if path not in state.files:
        return False, f"error: no file {path}"
    return True, state.files[path]


@tool("path", "content")
def write_file(state: State, path: str, content: str) -> tuple[bool, str]:
    """Write a file anew."""
    state.files[path] = content
    return True, f"ok: wrote {path}"


@tool("path")
def delete_file(state: State, path: str) -> tuple[bool, str]:
    """Delete a file."""
    if state.files.pop(path, None) is None:
        return False, f"error: no file {path}"
    return True, f"ok: deleted {path}"


@tool("path")
def run_check(state: State, path: str) -> tuple[bool, str]:
    """Check a file against what its check file expects."""
    check = state.checks.get(path)
    if check is None or check not in state.files:
        return False, f"error: no check for {path}"
    expected, found = state.files[check], state.files.get(path, "nothing")
    state.failed = [each for each in state.failed if each != path]
    if expected == found:
        return True, f"pass: {path}"
    state.failed.append(path)
    return True, f"fail: {check} expected {expected} found {found}"


@tool("path")
def publish(state: State, path: str) -> tuple[bool, str]:
    """Publish a file as it is."""
    if path not in state.files:
        return False, f"error: no file {path}"
    state.published[path] = state.files[path]
    return True, f"ok: published {path}"


@tool("record")
def get_record(state: State, record: str) -> tuple[bool, str]:
    """Show a record."""
    if record not in state.records:
        return False, f"error: no record {record}"
    fields = state.records[record]
    return True, " ".join(f"{name} {value}" for name, value in sorted(fields.items()))


@tool("record", "status")
def update_record(state: State, record: str, status: str) -> tuple[bool, str]:
    """Set the status of a record."""
    if record not in state.records:
        return False, f"error: no record {record}"
    state.records[record]["status"] = status
    return True, f"ok: updated {record}"


@tool("record", "amount")
def add_credit(state: State, record: str, amount: str) -> tuple[bool, str]:
    """Add credit to a record; doing it again adds again."""
    if record not in state.records or not amount.isdecimal():
        return False, f"error: no record {record}"
    fields = state.records[record]
    fields["credit"] = str(int(fields.get("credit", "0")) + int(amount))
    return True, f"ok: accepted number {state.number()}"


@tool("title")
def open_ticket(state: State, title: str) -> tuple[bool, str]:
    """Open a ticket; doing it again opens another."""
    named = f"T{len(state.tickets) + 1}"
    state.tickets[named] = title
    return True, f"ok: opened {named} number {state.number()}"


@tool("day", "hour")
def book_slot(state: State, day: str, hour: str, replace: str = "") -> tuple[bool, str]:
    """Book an hour of a day; with replace, also where it is taken."""
    slot = f"{day} {hour}"
    if slot in state.slots and replace != "yes":
        return False, f"taken: {day} {hour}"
    state.slots[slot] = "mine"
    return True, f"ok: booked {day} {hour}"


@tool("to", "text")
def send_message(state: State, to: str, text: str) -> tuple[bool, str]:
    """Send a message; doing it again sends another."""
    state.outbox.append([to, text])
    return True, f"ok: sent number {state.number()}"


@tool("key", "value")
def remember(state: State, key: str, value: str) -> tuple[bool, str]:
    """Keep a value for later."""
    state.memory[key] = value
    return True, f"ok: kept {key}"


@tool("key")
def recall(state: State, key: str) -> tuple[bool, str]:
    """Say a value that was kept."""
    if key not in state.memory:
        return False, f"error: nothing kept as {key}"
    return True, state.memory[key]


@tool("question")
def ask_user(state: State, question: str) -> tuple[bool, str]:
    """Ask the user for something that is missing."""
    return True, state.answers.get(question, "nothing")
