"""The app of projects, members, guidelines and tasks."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "stet.projects"
    label = "projects"

    def ready(self) -> None:
        from stet.projects import jobs  # noqa: F401  registers the workers
