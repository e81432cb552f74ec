"""The app of programs that judge."""

from django.apps import AppConfig


class RewardsConfig(AppConfig):
    name = "rewards"

    def ready(self) -> None:
        from rewards import jobs  # noqa: F401  registers the workers
