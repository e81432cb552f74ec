"""Behind a proxy that hides the site's address, SITE_URL lets forms and sockets through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.test import Client

from tests.settings import SECRET_KEY

SITE = "https://stet.example.org"
PRINT = (
    "import json; from stet import settings;"
    "print(json.dumps([settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS]))"
)


def started(site_url: str) -> subprocess.CompletedProcess[str]:
    """The settings as a process of that environment reads them."""
    path = os.pathsep.join(["platform", "."])
    environment = {**os.environ, "SECRET_KEY": SECRET_KEY, "SITE_URL": site_url, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", PRINT], env=environment, capture_output=True, text=True, check=False
    )


def test_the_address_is_a_host_and_an_origin() -> None:
    hosts, origins = json.loads(started(f"{SITE}:8443/").stdout)
    assert hosts[-1] == "stet.example.org"
    assert origins == [f"{SITE}:8443"]
    assert json.loads(started("").stdout)[1] == []


@pytest.mark.parametrize("wrong", ["stet.example.org", "ftp://x", "https://", "https://a/b"])
def test_what_is_no_address_stops_the_process_with_one_line(wrong: str) -> None:
    done = started(wrong)
    assert done.returncode == 1
    assert done.stderr.startswith("stet: SITE_URL must look like https://stet.example.org")
    assert done.stderr.count("\n") == 1


@pytest.mark.django_db
def test_a_form_that_came_through_a_proxy_is_taken(settings: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    page = client.get("/sign-in").text
    token = page.split('name="csrfmiddlewaretoken" value="', 1)[1].split('"', 1)[0]
    form = {"username": "x", "password": "y", "csrfmiddlewaretoken": token}
    inside: dict[str, Any] = {"HTTP_HOST": "127.0.0.1:8000", "HTTP_ORIGIN": SITE}
    refused = client.post("/sign-in", form, **inside)
    assert refused.status_code == 403
    assert "SITE_URL" in refused.text
    settings.CSRF_TRUSTED_ORIGINS = [SITE]
    later = Client(enforce_csrf_checks=True)
    later.cookies = client.cookies
    assert later.post("/sign-in", form, **inside).status_code == 200
