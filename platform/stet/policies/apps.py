"""The app of policy versions."""

from django.apps import AppConfig


class PoliciesConfig(AppConfig):
    name = "stet.policies"
    label = "policies"
