"""The OpenAPI document is valid, and its page asks nobody else."""

from __future__ import annotations

import re

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from tests.conftest import Client as ApiClient


def test_the_schema_is_valid_without_a_warning() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", "/dev/null")


def test_members_read_it(as_annotator: ApiClient) -> None:
    answer = as_annotator.get("/api/v1/schema/")
    assert answer.status_code == 200
    schema = yaml.safe_load(answer.content)
    assert "/api/v1/projects/{id}/imports" in schema["paths"]


def test_the_page_loads_from_here_alone(as_annotator: ApiClient) -> None:
    page = as_annotator.get("/api/v1/docs/")
    assert page.status_code == 200
    assert re.findall(r'(?:src|href)="(?!/)[^"]*"', page.content.decode()) == []


@pytest.mark.parametrize("path", ["/api/v1/schema/", "/api/v1/docs/"])
def test_nobody_gets_401(db: None, client: Client, path: str) -> None:
    assert client.get(path).status_code == 401


def test_an_unknown_address_is_a_problem_document(as_annotator: ApiClient) -> None:
    answer = as_annotator.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
