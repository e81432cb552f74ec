"""Whatever is sent to the API of projects is answered, and never with a fault of the server."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stet.projects.models import Project, Task
from tests.conftest import Client

TEXT = st.text(st.characters(), max_size=30) | st.sampled_from(["\x00", "\ud800", "", "<|im_end|>"])
ATOMS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
ROLE = st.sampled_from(["user", "tool", "system", "assistant", "boss"])
MESSAGE = st.dictionaries(st.sampled_from(["role", "content", "tool_calls"]), ROLE | ATOMS)
VALUES = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)
NAMES = st.sampled_from(
    [
        *("name", "description", "settings", "archived", "username", "role", "text", "messages"),
        *("external_id", "metadata", "overlap", "priority", "limits", "checks", "tools", "id"),
        *("dialogs", "uuid", "conversations", "prompt", "answer", "language", "scopes", "days"),
    ]
)
BODIES = st.dictionaries(NAMES | TEXT, VALUES | st.lists(MESSAGE, max_size=4), max_size=6) | VALUES
PATHS = ["", "/{id}/members", "/{id}/guidelines", "/{id}/tasks", "/{id}/traces"]

many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def check(answer: Any) -> None:
    assert answer.status_code < 500, answer.content
    if answer.status_code >= 400:
        problem = answer.json()
        assert problem["code"]
        assert problem["detail"]


@pytest.mark.parametrize("path", PATHS)
@many
@given(body=BODIES)
def test_posts(as_owner: Client, project: Project, path: str, body: Any) -> None:
    data = json.dumps(body, ensure_ascii=True)
    address = "/api/v1/projects" + path.format(id=project.pk)
    check(as_owner.post(address, data, content_type="application/json"))
    lines = "\n".join([data, data[:-1], data])
    if "tasks" in path or "traces" in path:
        check(as_owner.post(address, lines, content_type="application/x-ndjson"))


@many
@given(body=st.binary(max_size=60), kind=st.sampled_from(["json", "x-ndjson"]))
def test_bytes(as_owner: Client, project: Project, body: bytes, kind: str) -> None:
    for path in PATHS:
        address = "/api/v1/projects" + path.format(id=project.pk)
        check(as_owner.post(address, body, content_type=f"application/{kind}"))


@many
@given(body=BODIES, version=TEXT.filter(str.isascii) | st.just('"1"'))
def test_changes(as_owner: Client, project: Project, body: Any, version: str) -> None:
    header = "".join(letter for letter in version if letter.isprintable())
    data = json.dumps(body)
    kind = "application/json"
    address = f"/api/v1/projects/{project.pk}"
    check(as_owner.patch(address, data, content_type=kind, HTTP_IF_MATCH=header))
    check(as_owner.patch("/api/v1/me", data, content_type=kind))
    check(as_owner.post("/api/v1/tokens", data, content_type=kind))


@many
@given(value=TEXT)
def test_queries(as_owner: Client, project: Project, task: Task, value: str) -> None:
    text = quote(value.encode(errors="surrogatepass"))
    names = ("cursor", "limit", "external_id", "retired", "on_conflict", "format")
    for name in names:
        check(as_owner.get(f"/api/v1/projects/{project.pk}/tasks?{name}={text}"))
        check(as_owner.get(f"/api/v1/projects/{project.pk}/members?{name}={text}"))
    row = orjson.dumps({"messages": task.messages})
    address = f"/api/v1/projects/{project.pk}/tasks?on_conflict={text}"
    check(as_owner.post(address, row, content_type="application/json"))


@many
@given(key=TEXT.filter(str.isascii))
def test_keys(as_owner: Client, key: str) -> None:
    header = "".join(letter for letter in key if letter.isprintable())
    check(
        as_owner.post("/api/v1/projects", {"name": "x"}, format="json", HTTP_IDEMPOTENCY_KEY=header)
    )
