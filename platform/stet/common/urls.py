"""The addresses of health."""

from __future__ import annotations

from django.urls import URLPattern, path

from stet.common import api as views

api: list[URLPattern] = []
pages: list[URLPattern] = [
    path("health/live", views.live, name="health-live"),
    path("health/ready", views.ready, name="health-ready"),
    path("status", views.status, name="status"),
]
