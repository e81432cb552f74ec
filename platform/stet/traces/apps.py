"""The app of episodes and what they are made of."""

from django.apps import AppConfig


class TracesConfig(AppConfig):
    name = "stet.traces"
    label = "traces"

    def ready(self) -> None:
        from stet.traces import jobs  # noqa: F401  registers the workers
