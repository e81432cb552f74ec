"""The app of datasets and exports."""

from django.apps import AppConfig


class TrainingConfig(AppConfig):
    name = "training"

    def ready(self) -> None:
        from training import jobs  # noqa: F401  registers the workers
