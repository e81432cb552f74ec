"""ETag and If-Match of things that carry a version."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request

from stet.common.errors import Invalid, StetError


class IfMatchMissing(StetError):
    code, status, title = "if_match_missing", 428, gettext_lazy("The request needs If-Match")


def etag(version: int) -> dict[str, str]:
    """The header that names the version of what is sent."""
    return {"ETag": f'"{version}"'}


def if_match(request: Request) -> int:
    """The version that the client changes; 428 without it, 422 if it is no version."""
    value = request.headers.get("If-Match", "").strip()
    if not value:
        raise IfMatchMissing(_("Send If-Match with the version (ETag) that you have seen."))
    found = re.fullmatch(r'"?(\d{1,9})"?', value)
    if found is None:
        raise Invalid(_("If-Match holds one version, as the ETag said it."), code="bad_if_match")
    return int(found[1])
