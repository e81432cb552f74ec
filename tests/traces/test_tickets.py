"""Tickets open one socket, of one person, in one session, for half a minute."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db.models.functions import Now

from stet.accounts.models import User
from stet.traces.models import SocketTicket
from stet.traces.tickets import ticket_create, ticket_use


def use(key: str, session: str = "") -> User | None:
    user: User | None = ticket_use(hashlib.sha256(key.encode()).digest(), session)
    return user


def test_a_ticket_is_good_once(annotator: User) -> None:
    key = ticket_create(user=annotator, session_key="")
    assert use(key) == annotator
    assert use(key) is None


def test_only_the_hash_is_stored(annotator: User) -> None:
    key = ticket_create(user=annotator, session_key="s")
    assert key.encode() not in bytes(SocketTicket.objects.get().key_sha256)


def test_another_session_cannot_use_it_and_it_is_gone(annotator: User) -> None:
    key = ticket_create(user=annotator, session_key="mine")
    assert use(key, "other") is None
    assert use(key, "mine") is None
    assert not SocketTicket.objects.exists()


def test_it_expires_by_the_clock_of_the_database(annotator: User) -> None:
    key = ticket_create(user=annotator, session_key="")
    SocketTicket.objects.update(expires_at=Now() - timedelta(seconds=1))
    assert use(key) is None


def test_who_is_no_longer_active_gets_in_nowhere(annotator: User) -> None:
    key = ticket_create(user=annotator, session_key="")
    annotator.is_active = False
    annotator.save()
    assert use(key) is None


def test_old_tickets_are_swept_when_a_new_one_is_made(annotator: User) -> None:
    ticket_create(user=annotator, session_key="")
    SocketTicket.objects.update(expires_at=Now() - timedelta(seconds=1))
    ticket_create(user=annotator, session_key="")
    assert SocketTicket.objects.count() == 1
