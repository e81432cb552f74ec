"""How a program signs in: ``Authorization: Token <key>``."""

from __future__ import annotations

import hashlib

import orjson
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from stet.accounts.models import ApiToken, User

READ, WRITE = "read", "write"
SAFE = {"GET", "HEAD", "OPTIONS"}
# Every call of a program asks this, so its SQL is not built anew for each.
LIVE = """
SELECT u.*, t.id AS token_id, t.scopes AS token_scopes
FROM accounts_apitoken t JOIN accounts_user u ON u.id = t.user_id
WHERE t.key_sha256 = %s AND t.revoked_at IS NULL AND u.is_active
AND (t.expires_at IS NULL OR t.expires_at > now())
"""


def token_hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


class TokenAuthentication(BaseAuthentication):
    """Opens the door to the token's user, within the token's scopes (``read``, ``write``)."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"token":
            return None
        if len(parts) != 2:
            raise AuthenticationFailed(_("Write the header as: Authorization: Token <key>"))
        digest = token_hash(parts[1].decode("latin-1"))
        user = next(iter(User.objects.raw(LIVE, [digest])), None)
        if user is None:
            raise AuthenticationFailed(_("This token is unknown, expired or revoked."))
        key, scopes = vars(user)["token_id"], orjson.loads(vars(user)["token_scopes"])
        need = READ if request.method in SAFE else WRITE
        if need not in scopes:
            raise PermissionDenied(
                _("This token does not have the scope “%(scope)s”.") % {"scope": need}
            )
        values = [key, user.pk, scopes]
        return user, ApiToken.from_db(user._state.db, ["id", "user_id", "scopes"], values)

    def authenticate_header(self, request: Request) -> str:
        return "Token"
