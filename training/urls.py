"""The addresses of datasets and exports."""

from __future__ import annotations

from django.urls import URLPattern, path

from training import views
from training.api import datasets, exports

api: list[URLPattern] = [
    path("export-targets", datasets.TargetsView.as_view()),
    path("datasets", datasets.DatasetsView.as_view()),
    path("datasets/<int:pk>", datasets.DatasetView.as_view()),
    path("datasets/<int:pk>/exports", datasets.DatasetExportsView.as_view()),
    path("exports", exports.ExportsView.as_view()),
    path("exports/<int:pk>", exports.ExportView.as_view()),
    path("exports/<int:pk>/<str:sha256>/<path:name>", exports.ExportFileView.as_view()),
]
pages: list[URLPattern] = [
    path("projects/<int:pk>/exports", views.exports, name="exports"),
    path("exports/<int:pk>", views.export, name="export"),
]
