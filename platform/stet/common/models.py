"""Rows that every app stands on: idempotency keys, the outbox, jobs."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from stet.common.append_only import AppendOnlyModel, AppendOnlyQuerySet

__all__ = ["AppendOnlyModel", "AppendOnlyQuerySet", "IdempotencyKey", "Job", "Outbox"]


class IdempotencyKey(models.Model):
    """One answered request of one user; the same key answers the same again for seven days."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    route = models.CharField(max_length=120)
    key = models.CharField(max_length=120)
    body_sha256 = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField()
    response = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "route", "key"], name="idempotency_key_once"),
        ]


class Outbox(models.Model):
    """A job to be sent after the commit that wrote this row; the relay sends it and removes it."""

    job = models.CharField(max_length=120)
    kwargs = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)


class Job(models.Model):
    """Work in the background. The row owns the work: lease, heartbeat and fencing token.

    ``fence`` grows with every claim; a writer that holds an older one is refused.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    kind = models.CharField(max_length=60)
    project_id = models.BigIntegerField(null=True, db_index=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT)
    params = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    progress = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    error = models.TextField(blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["status", "lease_until"], name="job_open")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["queued", "running", "done", "failed"]),
                name="job_status_known",
            ),
        ]
