"""Users and their API tokens. Identities live here and nowhere else."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class User(AbstractUser):
    """A person or a program. Deactivated, never deleted: rows keep their author."""

    language = models.CharField(max_length=12, blank=True)
    preferences = models.JSONField(default=dict, blank=True)
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class TokenQuerySet(models.QuerySet["ApiToken"]):
    def live(self) -> TokenQuerySet:
        """Tokens that open a door now."""
        fresh = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
        return self.filter(fresh, revoked_at__isnull=True, user__is_active=True)


class ApiToken(models.Model):
    """A key of a program: only its hash is stored, it has scopes and an end."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    key_sha256 = models.BinaryField(max_length=32, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = TokenQuerySet.as_manager()
