"""The same key answers the same: the key is stored in the transaction of its effect."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import orjson
from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request
from rest_framework.response import Response

from stet.common.errors import Conflict, Invalid, StetError
from stet.common.transactions import act

HEADER = "Idempotency-Key"
# The lock and the key in one trip. A key that was committed between the two is met by KEEP.
FIND = """
SELECT pg_try_advisory_xact_lock(%s), k.body_sha256, k.status, k.response
FROM (VALUES (1)) AS one
LEFT JOIN common_idempotencykey k ON k.user_id = %s AND k.route = %s AND k.key = %s
"""
KEEP = """
INSERT INTO common_idempotencykey (user_id, route, key, body_sha256, status, response, created_at)
VALUES (%s, %s, %s, %s, %s, %s, now()) ON CONFLICT DO NOTHING
"""
Effect = Callable[[], tuple[int, dict[str, Any]]]


class KeyMissing(StetError):
    code, status = "idempotency_key_missing", 400
    title = gettext_lazy("The request needs an Idempotency-Key")


class KeyReused(Invalid):
    code, title = "idempotency_key_reused", gettext_lazy("This key was used for another request")


class KeyInFlight(Conflict):
    code = "idempotency_key_in_flight"
    title = gettext_lazy("The first request with this key is still running")


def idempotent(request: Request, effect: Effect, *, required: bool = True) -> Response:
    """Carry out ``effect`` once per (user, route, key); it returns a status and a JSON body.

    Raises KeyMissing (400), KeyInFlight (409, Retry-After) or KeyReused (422).
    """
    key = request.headers.get(HEADER, "").strip()
    if not key:
        if required:
            raise KeyMissing(_("Send a fresh Idempotency-Key with every act. Nothing was changed."))
        with act():
            status, body = effect()
        return Response(body, status=status)
    if len(key) > 120:
        raise Invalid(_("An Idempotency-Key has at most 120 characters."), code="bad_key")
    person = request.user.pk
    assert person is not None
    route = f"{request.method} {request.path}"[:120]
    digest = hashlib.sha256(orjson.dumps(request.data, default=_named)).digest()
    lock = hashlib.sha256(f"{person} {route} {key}".encode()).digest()[:8]
    with act(), connection.cursor() as cursor:
        number = int.from_bytes(lock, "big", signed=True)
        cursor.execute(FIND, [number, person, route, key])
        locked, known, status, kept = cursor.fetchone()
        if not locked:
            raise KeyInFlight(headers={"Retry-After": "1"})
        if known is not None:
            if bytes(known) != digest:
                raise KeyReused(_("Nothing was changed; use a fresh key for a new request."))
            return Response(orjson.loads(kept), status, headers={"Idempotent-Replay": "1"})
        status, body = effect()
        text = orjson.dumps(body, default=str)
        cursor.execute(KEEP, [person, route, key, digest, status, text.decode()])
        if cursor.rowcount != 1:
            raise KeyInFlight(headers={"Retry-After": "1"})
    return Response(orjson.loads(text), status=status)


def _named(value: Any) -> str:
    """What stands for a part of the body that is no JSON: an upload's name and size."""
    return f"{value} {getattr(value, 'size', '')}"
