"""Tickets that open a socket once."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class SocketTicket(models.Model):
    """A random key, good once for 30 s, bound to its user and session; removed when used."""

    key_sha256 = models.BinaryField(primary_key=True, max_length=32)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    session_key = models.CharField(max_length=40, blank=True)
    expires_at = models.DateTimeField(db_index=True)
