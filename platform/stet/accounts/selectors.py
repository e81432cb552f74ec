"""How people and their tokens are read."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from stet.accounts.models import ApiToken, User
from stet.common.errors import Invalid, NotFound


def signed_in(request: Request | HttpRequest) -> User:
    """The person who asks; raises NotAuthenticated (401) for nobody."""
    user = request.user
    if isinstance(user, AnonymousUser):
        raise NotAuthenticated()
    return user


def person_named(username: str) -> User:
    """The active person of that sign-in name, or Invalid (422) naming the field."""
    known = User.objects.filter(is_active=True)
    found = known.filter(username=username).first() if "\x00" not in username else None
    if found is None:
        text = _("Nobody here signs in as “%(name)s”.") % {"name": username[:80]}
        raise Invalid(text, errors=[{"field": "username", "detail": text}])
    return found


def token_list(user: User) -> QuerySet[ApiToken]:
    """The user's tokens that still open a door."""
    return ApiToken.objects.live().filter(user=user)


def access_token(user: User, pk: int) -> ApiToken:
    """The user's own live token, or 404."""
    found = token_list(user).filter(pk=pk).first() if 0 < pk < 2**63 else None
    if found is None:
        raise NotFound()
    return found
