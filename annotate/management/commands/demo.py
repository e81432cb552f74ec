"""``manage.py demo``: people, a project, tasks, questions, a policy and traces to try."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import override

from annotate.demo import demo_questions_ensure
from stet.accounts.demo import SignIns, people_ensure
from stet.accounts.models import User
from stet.common.errors import StetError
from stet.policies.selectors import model_folder
from stet.policies.services import policy_ensure_default
from stet.projects.models import Project
from stet.projects.services import demo_project_ensure
from stet.traces.demo import Numbers, demo_runs, math_items, trace_items
from stet.traces.services import foreign_add

BATCH = 20


class Command(BaseCommand):
    help = "Load the demo project, as often as you like, and print the sign-ins."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--traces", type=Path, help="a file of agent traces to import as well")
        parser.add_argument("--math", type=Path, help="a file of mathematics solutions")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with override("en"):
                self.load(options)
        except StetError as error:
            raise CommandError(error.detail) from None

    def load(self, options: dict[str, Any]) -> None:
        sign_ins = SignIns(Path(settings.DATA_DIR) / "demo-sign-ins.json")
        people = people_ensure(sign_ins=sign_ins)
        project, tasks = demo_project_ensure(people=people)
        demo_questions_ensure(project=project, owner=people["owner"])
        policy = policy_ensure_default(people["owner"], project)
        self.stdout.write(
            f"Project {project.name!r}: {len(tasks.tasks)} tasks "
            f"({tasks.added + tasks.superseded} new), policy {policy}."
        )
        sources = [("agent runs", demo_runs())]
        if options["traces"]:
            sources.append((options["traces"].name, trace_items(options["traces"])))
        if options["math"]:
            sources.append((options["math"].name, math_items(options["math"])))
        for what, items in sources:
            self.add_traces(project, people["researcher"], what, items)
        self.stdout.write("Sign in with:")
        for name, password in sign_ins.passwords.items():
            self.stdout.write(f"  {name:<12}{password}")
        self.stdout.write(f"  API key of the trainer: {sign_ins.token}")
        self.stdout.write(f"They are kept in {sign_ins.path}.")

    def add_traces(self, project: Project, author: User, what: str, items: Numbers) -> None:
        added = same = 0
        folder = model_folder(project.pk)
        while batch := list(islice(items, BATCH)):
            outcome = foreign_add(project=project, author=author, items=batch, folder=folder)
            for number, error in outcome.errors:
                self.stderr.write(f"{what}, {number}: {error.detail}")
            added, same = added + outcome.added, same + outcome.same
        self.stdout.write(f"Traces of {what}: {added + same} ({added} new).")
