"""The Chinese catalogue is whole, agrees with the code, and reaches the pages."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client
from django.utils.translation import activate, override
from django.utils.translation.template import templatize

from stet.accounts.models import User
from stet.common.errors import NotFound
from stet.common.jobs import job_create, job_run
from stet.common.language import language_of
from stet.projects.models import Project
from stet.projects.services.imports import TASKS
from stet.stack.messages import compile_messages
from stet.traces.failures import OWNER_LOST, failure_document

ROOT = Path(settings.BASE_DIR)
FOLDER = ROOT / "platform" / "stet" / "locale" / "zh_Hans" / "LC_MESSAGES"
DOMAINS = {"django": ("py", "html"), "djangojs": ("js",)}
PLACE = re.compile(r"%\(\w+\)[a-z]|%%")
CHINESE = "zh-hans,zh;q=0.9,en;q=0.5"
KEYWORDS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    compile_messages()


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    """A request leaves its language in the thread that the tests share with it."""
    yield
    activate(settings.LANGUAGE_CODE)


def catalogue(domain: str) -> Catalog:
    with (FOLDER / f"{domain}.po").open("rb") as file:
        return read_po(file)


def forms(text: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or [""])


def texts_of(path: Path) -> Iterator[str]:
    """The English texts of a file: of a pair for one and many, the one."""
    source = path.read_text(encoding="utf-8")
    method = {".py": "python", ".html": "python", ".js": "javascript"}[path.suffix]
    if path.suffix == ".html":
        # The blanks that stand for what is no text are no indentation.
        source = "\n".join(line.strip() for line in templatize(source).splitlines())
    for _line, text, _comments, _context in extract(
        method, io.BytesIO(source.encode()), keywords=KEYWORDS
    ):
        yield forms(text)[0]


def sources(*endings: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", *(f"*.{ending}" for ending in endings)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [Path(name) for name in listed.stdout.split()]
    return [
        ROOT / path for path in paths if path.parts[0] != "tests" and "vendor" not in path.parts
    ]


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_entry_is_translated_and_none_is_a_guess(domain: str) -> None:
    known = catalogue(domain)
    missing = [message.id for message in known if message.id and not all(forms(message.string))]
    assert (missing, [m.id for m in known if m.fuzzy and m.id], known.obsolete) == ([], [], {})


@pytest.mark.parametrize("domain", DOMAINS)
def test_both_languages_have_the_same_places_to_fill(domain: str) -> None:
    for message in catalogue(domain):
        if message.id:
            wanted = sorted(PLACE.findall(forms(message.id)[-1]))
            for text in forms(message.string):
                assert sorted(PLACE.findall(text)) == wanted, message.id


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_text_of_the_code_is_in_the_catalogue(domain: str) -> None:
    known = {forms(message.id)[0] for message in catalogue(domain)}
    for path in sources(*DOMAINS[domain]):
        unknown = [text for text in texts_of(path) if text not in known]
        assert not unknown, f"{path.relative_to(ROOT)}: run make messages"


@pytest.mark.parametrize("way", ["header", "cookie"])
def test_the_pages_speak_chinese(way: str, owner: User, project: Project, client: Client) -> None:
    headers = {"Accept-Language": CHINESE} if way == "header" else {}
    if way == "cookie":
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    said = client.get("/sign-in", headers=headers, follow=True).content.decode()
    assert [word in said for word in ('lang="zh-Hans"', "登录", "Sign in")] == [True, True, False]
    client.force_login(owner)
    for name, words in (("/", "项目"), ("/work/", "我的工作")):
        said = client.get(name, headers=headers, follow=True).content.decode()
        assert [word in said for word in (words, "My work", "Sign out")] == [True, False, False]
    said = client.get(f"/projects/{project.pk}/", headers=headers).content.decode()
    assert [word in said for word in ("准则", "所有者", "Guideline")] == [True, True, False]


def test_a_problem_speaks_the_language_of_the_request(owner: User, client: Client) -> None:
    client.force_login(owner)
    for asked, title in (("en", NotFound.title), (CHINESE, "这里没有这样的内容")):
        answer = client.get("/api/v1/episodes/0", headers={"Accept-Language": asked})
        assert (answer.status_code, answer.json()["title"]) == (404, str(title))


def test_a_job_speaks_the_language_of_its_request(owner: User, project: Project) -> None:
    with override("zh-hans"):
        params = {"upload": "0" * 32, "format": "jsonl", "on_conflict": "error"}
        job = job_create(kind=TASKS, params=params, user=owner, project_id=project.pk)
    job_run(job.pk)
    job.refresh_from_db()
    assert job.error == "项目或上传的文件已不存在。没有导入任何内容。"
    assert (job.result or {})["title"] == "这里没有这样的内容"


def test_a_kept_failure_is_told_in_the_language_of_its_reader() -> None:
    own_words = {"code": "model_refused", "detail": "max_tokens is too large"}
    with override("zh-hans"):
        told = failure_document(OWNER_LOST)
        assert told == {"code": "owner_lost", "detail": "读取数据流的进程消失了。"}
        assert failure_document(own_words) == own_words
    assert failure_document(OWNER_LOST) == OWNER_LOST


def test_a_socket_has_the_language_of_its_handshake() -> None:
    cookie = settings.LANGUAGE_COOKIE_NAME.encode()
    assert (
        language_of([(b"cookie", cookie + b"=zh-hans"), (b"accept-language", b"en")]) == "zh-hans"
    )
    assert language_of([(b"Accept-Language", CHINESE.encode())]) == "zh-hans"
    assert language_of([(b"cookie", b"\xff=;;"), (b"accept-language", b"xx,;q=")]) == "en"
