"""The app of people's work."""

from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"
