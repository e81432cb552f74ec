"""Datasets, exports and their files."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from stet.common.models import AppendOnlyModel


class Dataset(models.Model):
    """A query kept as data: which submissions of a project, by which filters."""

    project = models.ForeignKey(
        "projects.Project", on_delete=models.PROTECT, related_name="datasets"
    )
    name = models.CharField(max_length=120)
    query = models.JSONField(default=dict)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)


class Export(models.Model):
    """The frozen result of a dataset for a target: content-addressed files and a manifest.

    ``watermark`` fixes the rows that count, so that the same watermark gives the same bytes.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="exports")
    target = models.CharField(max_length=40)
    options = models.JSONField(default=dict)
    job = models.ForeignKey("common.Job", null=True, on_delete=models.PROTECT)
    watermark = models.DateTimeField()
    sha256 = models.CharField(max_length=64, blank=True)
    manifest = models.JSONField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)


class ExportFile(AppendOnlyModel):
    """One file of an export: its name, size and hash; the bytes lie in the data folder."""

    export = models.ForeignKey(Export, on_delete=models.PROTECT, related_name="files")
    name = models.CharField(max_length=60)
    size = models.PositiveBigIntegerField()
    rows = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["export", "name"], name="export_file_once"),
        ]
