"""The app of the shared rows."""

from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "stet.common"
    label = "common"

    def ready(self) -> None:
        import stet.celery  # noqa: F401  the application must exist before the first shared task
        from stet.common import jobs  # noqa: F401  registers the tasks
