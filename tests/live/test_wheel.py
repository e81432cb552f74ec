"""The built artefact holds what a site needs, and serves every page without the checkout."""

from __future__ import annotations

import http.cookiejar
import re
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from stet.stack.messages import compile_messages
from stet.stack.paths import ROOT
from tests.browser.conftest import PASSWORD, Site, browser_project
from tests.browser.pages import PAGES, build
from tests.layout import tracked
from tests.live.stack import Scripted, Stack

PACKAGES = {"annotate", "rewards", "training"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, unpacked as an installation would."""
    folder = tmp_path_factory.mktemp("wheel")
    compile_messages()
    build_it = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build_it, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("stet-*.whl"))) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def installed(path: Path) -> Path | None:
    """Where a file of the checkout lies in an installation, None for what stays behind."""
    if path.parts[:2] == ("platform", "stet"):
        return Path(*path.parts[1:])
    if path.parts[0] in {"templates", "static"}:
        return Path("stet", "pages") / path
    return path if path.parts[0] in PACKAGES else None


def test_nothing_is_left_behind(wheel: Path) -> None:
    wanted = {place for path in tracked(ROOT) if (place := installed(path)) is not None}
    missing = sorted(str(path) for path in wanted if not (wheel / path).is_file())
    assert not missing
    for domain in ("django", "djangojs"):
        assert (wheel / f"stet/locale/zh_Hans/LC_MESSAGES/{domain}.mo").is_file()


class Reader:
    """Somebody who opens pages without a browser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def open(self, path: str, form: dict[str, str] | None = None, language: str = "en") -> str:
        data = urllib.parse.urlencode(form).encode() if form else None
        headers = {"Accept-Language": language, "Origin": self.url}
        request = urllib.request.Request(f"{self.url}{path}", data, headers)
        with self._opener.open(request, timeout=60) as answer:
            text: str = answer.read().decode(errors="replace")
            return text


def test_the_built_artefact_serves_every_page(
    stack: Stack, quick: Scripted, wheel: Path, settings: Any
) -> None:
    # Without PYTHONSAFEPATH the checkout, where parts are started, would come first.
    web = stack.web(quick, PYTHONPATH=str(wheel), PYTHONSAFEPATH="1")
    world = build(Site(web, quick, browser_project(quick, {}), stack), settings)
    reader = Reader(web.url)
    page = reader.open("/sign-in")
    token = page.split('name="csrfmiddlewaretoken" value="', 1)[1].split('"', 1)[0]
    form = {"username": world.owner.username, "password": PASSWORD, "csrfmiddlewaretoken": token}
    assert world.owner.username in reader.open("/sign-in", form)
    files: set[str] = set()
    for name, where in PAGES.items():
        page = reader.open(where(world))
        assert "<html" in page, name
        files |= set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))
    assert "项目" in reader.open("/", language="zh-hans")
    assert len(files) > 5
    for file in sorted(files):
        assert reader.open(file)
    web.stop()
