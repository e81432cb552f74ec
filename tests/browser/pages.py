"""Every page of the site by the name of its address, and a project where each shows something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver

from annotate.services import gold_set, question_save, task_next
from annotate.services.queue import Work
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.accounts.services import token_create
from stet.common.jobs import job_run
from stet.common.models import Job
from stet.projects.models import Project
from stet.projects.services import guideline_create
from stet.projects.services.imports import TASKS, import_create
from stet.traces.models import Episode
from tests.browser.conftest import Site
from tests.live.api import Api
from training.services import project_export

ROWS = (
    b'{"external_id": "one", "messages": [{"role": "user", "content": "Name a river."}]}\n'
    b"{broken\n"
    b'{"external_id": "two", "messages": [{"role": "user", "content": "\xe5\x86\x99"}]}\n'
)


@dataclass(frozen=True)
class World:
    """An owner with a project of which nothing is empty."""

    site: Site
    owner: User
    job: Job
    export: Any
    episode: Episode

    @property
    def project(self) -> int:
        return self.site.project.pk


def build(site: Site, settings: Any) -> World:
    """The world, on the folder of data of the site's web process."""
    settings.DATA_DIR = site.web.folder / "data"
    owner, project = site.person(Role.OWNER), site.project
    guideline_create(project=project, user=owner, text="# Rule\n\nBe *kind*, see `m`.\n\n- a\n- b")
    file = SimpleUploadedFile("two of three.jsonl", ROWS)
    how = {"format": "jsonl", "on_conflict": "error"}
    job = import_create(project=project, user=owner, upload=file, kind=TASKS, **how)
    job_run(job.pk)
    for number in range(3):
        site.stack.task("Tell me of the sea.", metadata={"title": f"Sea {number}"}, project=project)
    export = project_export(project=project, user=owner, target="sft")
    job_run(export.job_id)
    ask(owner, project)
    handed_in = work_through(site, owner, task_next(user=owner, project=project))
    gold_set(user=owner, task=handed_in.task, episode=handed_in)
    work = task_next(user=owner, project=project)
    assert work is not None
    return World(site, owner, job, export, work.episode)


def ask(owner: User, project: Project) -> None:
    """A question of each kind, one of them only after a certain answer to another."""
    words = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]
    for fields in (
        {"key": "ready", "kind": "single", "options": words, "hotkey": "y", "help": "For print."},
        {"key": "why", "kind": "multiple", "options": words}
        | {"condition": {"question": "ready", "equals": "no"}},
        {"key": "quality", "kind": "scale", "min": 1, "max": 5, "min_label": "bad"},
        {"key": "note", "kind": "text"},
    ):
        question_save(user=owner, project=project, label=f"{fields['key']}?", **fields)


def work_through(site: Site, owner: User, work: Work | None) -> Episode:
    """Let the model answer, and hand it in."""
    assert work is not None
    api = Api(site.web.url, token_create(user=owner, name="pages")[1])
    episode = work.episode
    began = api.good(f"/episodes/{episode.pk}/continue", {"if_head": episode.version})
    tab = api.tab()
    tab.watch(began["generation"]["id"])
    tab.end(began["generation"]["id"])
    done = {"if_head": began["episode"]["version"], "answers": {"quality": 4}}
    api.good(f"/episodes/{episode.pk}/submit", done)
    tab.close()
    api.close()
    return episode


PAGES: dict[str, Callable[[World], str]] = {
    "sign-in": lambda world: "/sign-in?next=/work/",
    "projects": lambda world: "/",
    "project": lambda world: f"/projects/{world.project}/",
    "project-new": lambda world: "/projects/new/",
    "tasks": lambda world: f"/projects/{world.project}/tasks/",
    "queue": lambda world: f"/projects/{world.project}/queue/",
    "questions": lambda world: f"/projects/{world.project}/questions/",
    "gold": lambda world: f"/projects/{world.project}/gold/",
    "import": lambda world: f"/projects/{world.project}/import/",
    "project-settings": lambda world: f"/projects/{world.project}/settings/",
    "job": lambda world: f"/projects/{world.project}/import/?job={world.job.pk}",
    "exports": lambda world: f"/projects/{world.project}/exports",
    "account": lambda world: "/account",
    "review": lambda world: f"/projects/{world.project}/review/",
    "work": lambda world: "/work/",
    "episode": lambda world: f"/episodes/{world.episode.pk}/",
    "docs": lambda world: "/api/v1/docs/",
}
"""Where a page is. A new page gets a row here, and with it the checks of all pages."""

FOREIGN = {"docs"}
"""Pages whose content another project draws."""

NO_PAGES = {
    "next": "a form's target: it redirects to the corrector",
    "member-save": "a form's target: it redirects to the settings",
    "guideline-save": "a form's target: it redirects to the settings",
    "switches-save": "a form's target: it redirects to the settings",
    "lease-release": "a form's target: it redirects to the queue",
    "task-decide": "a form's target: it redirects to the queue",
    "question-act": "a form's target: it redirects to the questions",
    "gold-mark": "a form's target: it redirects to the gold tasks",
    "progress": "a part of the page of a project",
    "sign-out": "a form's target: it redirects to the sign-in",
    "review-next": "redirects to the corrector, or to the list",
    "set_language": "a form's target: it redirects to where one was",
    "health-live": "for machines",
    "health-ready": "for machines",
    "status": "JSON that pages ask for",
    "schema": "for machines",
    "jsi18n": "a script",
    "export": "a part of the page of exports",
}


def names(resolver: URLResolver | None = None) -> set[str]:
    """The names of all addresses of the site."""
    found: set[str] = set()
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            found |= names(pattern)
        elif isinstance(pattern, URLPattern) and pattern.name:
            found.add(pattern.name)
    return found
