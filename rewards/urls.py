"""The addresses of programs that judge."""

from __future__ import annotations

from django.urls import URLPattern, path

from rewards.api import guard, judging

api: list[URLPattern] = [
    path("signal-sources", judging.SourcesView.as_view()),
    path("guard/check", guard.GuardCheck.as_view()),
    path("guard/rules", guard.GuardRules.as_view()),
    path("guard/rules/<int:pk>/promote", guard.GuardRuleMove.as_view(state="active")),
    path("guard/rules/<int:pk>/retire", guard.GuardRuleMove.as_view(state="retired")),
    path("guard/mine", guard.GuardMine.as_view()),
    path("episodes/<int:pk>/diagnose", judging.EpisodeDiagnose.as_view()),
]
pages: list[URLPattern] = []
