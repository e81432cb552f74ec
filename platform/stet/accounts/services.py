"""What is written about people and their tokens."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from stet.accounts.authentication import READ, WRITE, token_hash
from stet.accounts.models import ApiToken, User
from stet.common.errors import Invalid


def token_create(
    *, user: User, name: str, scopes: list[str] | None = None, days: int | None = 90
) -> tuple[ApiToken, str]:
    """A new token and its key; the key is shown once and never stored."""
    scopes = [READ, WRITE] if scopes is None else scopes
    if not set(scopes) <= {READ, WRITE} or not scopes:
        raise Invalid(_("Scopes are “read” and “write”."), code="bad_scope")
    key = f"stet_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(
        user=user,
        name=name,
        key_sha256=token_hash(key),
        scopes=scopes,
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    return token, key


def token_revoke(*, token: ApiToken) -> None:
    """From now on the token opens no door."""
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])


def language_set(*, user: User, language: str) -> None:
    """The language of the person's pages; empty follows the browser."""
    user.language = language
    user.save(update_fields=["language"])
