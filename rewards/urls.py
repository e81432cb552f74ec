"""The addresses of programs that judge."""

from __future__ import annotations

from django.urls import URLPattern, path

from rewards.api import judging

api: list[URLPattern] = [
    path("signal-sources", judging.SourcesView.as_view()),
    path("episodes/<int:pk>/diagnose", judging.EpisodeDiagnose.as_view()),
]
pages: list[URLPattern] = []
