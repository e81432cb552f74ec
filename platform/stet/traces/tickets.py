"""Tickets that open a socket: random, 30 s, one use, bound to a user and a session."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from stet.traces.models import SocketTicket

LIFETIME = timedelta(seconds=30)


def ticket_create(*, user: Any, session_key: str) -> str:
    """A new ticket; only its hash is stored."""
    key = secrets.token_urlsafe(24)
    SocketTicket.objects.filter(expires_at__lt=Now()).delete()
    SocketTicket.objects.create(
        key_sha256=hashlib.sha256(key.encode()).digest(),
        user=user,
        session_key=session_key,
        expires_at=Now() + LIFETIME,
    )
    return key


@transaction.atomic
def ticket_use(key_sha256: bytes, session_key: str) -> Any:
    """The user of a good ticket, which is then gone; None otherwise."""
    rows = SocketTicket.objects.select_for_update(of=("self",)).select_related("user")
    ticket = rows.filter(key_sha256=key_sha256).first()
    if ticket is None:
        return None
    fresh = SocketTicket.objects.filter(pk=ticket.pk, expires_at__gt=Now()).exists()
    ticket.delete()
    bound = not ticket.session_key or ticket.session_key == session_key
    return ticket.user if fresh and bound and ticket.user.is_active else None
