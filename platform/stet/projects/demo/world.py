"""A small world for agent traces: the desk of a library that lends tools, as tools over a dict."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

State = dict[str, Any]
Tool = Callable[..., dict[str, Any]]

START: State = {
    "items": {
        "I1": {"name": "cordless drill", "zh": "充电电钻", "copies": 1},
        "I2": {"name": "hammer drill", "zh": "冲击钻", "copies": 0},
        "I3": {"name": "ladder", "zh": "梯子", "copies": 2},
        "I4": {"name": "tent for four", "zh": "四人帐篷", "copies": 0},
        "I5": {"name": "sewing machine", "zh": "缝纫机", "copies": 1},
    },
    "members": {
        "M1": {"name": "Ada Brook", "owes": 0},
        "M2": {"name": "李梅", "owes": 0},
        "M3": {"name": "Tom Reed", "owes": 12},
    },
    "holds": {
        "H1": {"member": "M1", "item": "I2"},
        "H2": {"member": "M1", "item": "I4"},
        "H3": {"member": "M2", "item": "I4"},
    },
    "loans": {
        "L1": {"member": "M1", "item": "I3", "days_late": 0, "renewed": False},
        "L2": {"member": "M2", "item": "I5", "days_late": 2, "renewed": False},
        "L3": {"member": "M3", "item": "I1", "days_late": 6, "renewed": True},
    },
    "next_hold": 4,
}


class Refused(ValueError):
    """A tool does not do what it was called for; the message is its result."""


def find_item(state: State, query: str) -> dict[str, Any]:
    """Items whose English or Chinese name contains the query."""
    wanted = query.lower()
    rows = ({"id": key, **item} for key, item in state["items"].items())
    return {"items": [row for row in rows if wanted in row["name"] or wanted in row["zh"]]}


def show_member(state: State, name: str) -> dict[str, Any]:
    """A member by full name, with what is owed, holds and loans."""
    for key, member in state["members"].items():
        if member["name"].lower() == name.lower():
            return {"id": key, **member, **{k: _own(state[k], key) for k in ("holds", "loans")}}
    raise Refused("no member of that name")


def place_hold(state: State, member_id: str, item_id: str) -> dict[str, Any]:
    """Reserve an item for a member."""
    _row(state, "members", member_id)
    _row(state, "items", item_id)
    hold = {"member": member_id, "item": item_id}
    if hold in state["holds"].values():
        raise Refused("the member already has this hold")
    key = f"H{state['next_hold']}"
    state["next_hold"] += 1
    state["holds"][key] = hold
    return {"hold_id": key, **hold}


def cancel_hold(state: State, hold_id: str) -> dict[str, Any]:
    """Remove a hold."""
    _row(state, "holds", hold_id)
    return {"cancelled": hold_id, **state["holds"].pop(hold_id)}


def renew_loan(state: State, loan_id: str) -> dict[str, Any]:
    """Lend an item for three more weeks."""
    loan = _row(state, "loans", loan_id)
    if loan["renewed"]:
        raise Refused("this loan was renewed before")
    loan["renewed"] = True
    return {"renewed": loan_id}


def charge_fee(state: State, member_id: str, amount: int, reason: str) -> dict[str, Any]:
    """Add an amount to what a member owes."""
    member = _row(state, "members", member_id)
    member["owes"] += amount
    return {"member_id": member_id, "owes": member["owes"], "reason": reason}


def _own(rows: State, member_id: str) -> list[dict[str, Any]]:
    return [{"id": key, **row} for key, row in rows.items() if row["member"] == member_id]


def _row(state: State, kind: str, key: str) -> Any:
    if key not in state[kind]:
        raise Refused(f"no {kind[:-1]} {key}")
    return state[kind][key]


TOOLS: dict[str, Tool] = {
    tool.__name__: tool
    for tool in (find_item, show_member, place_hold, cancel_hold, renew_loan, charge_fee)
}


def schema() -> list[dict[str, Any]]:
    """The tools as the OpenAI API names them, from the functions' own annotations."""
    return [{"type": "function", "function": _described(tool)} for tool in TOOLS.values()]


def _described(tool: Tool) -> dict[str, Any]:
    hints = [(k, h) for k, h in tool.__annotations__.items() if k not in ("state", "return")]
    parameters = {
        "type": "object",
        "properties": {k: {"type": "integer" if h == "int" else "string"} for k, h in hints},
        "required": [k for k, _ in hints],
        "additionalProperties": False,
    }
    return {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters}


def call(state: State, name: str, arguments: str) -> str:
    """Run one tool on ``state`` with JSON ``arguments``; the result, or the refusal, as JSON."""
    tool = TOOLS.get(name)
    try:
        result = tool(state, **json.loads(arguments)) if tool else {"error": "no such tool"}
    except Refused as refusal:
        result = {"error": str(refusal)}
    except (TypeError, ValueError):
        result = {"error": "the arguments do not fit the tool"}
    return json.dumps(result, ensure_ascii=False)


def replay(messages: list[dict[str, Any]]) -> tuple[list[str], State]:
    """The results of a trace's tool calls, in order, from a fresh start; and the state after."""
    state = copy.deepcopy(START)
    results = [
        call(state, each["function"]["name"], each["function"]["arguments"])
        for message in messages
        for each in message.get("tool_calls", ())
    ]
    return results, state
