"""The app of programs that judge."""

from django.apps import AppConfig


class RewardsConfig(AppConfig):
    name = "rewards"
