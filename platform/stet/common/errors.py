"""The one family of errors that is fit to show to a person or a program."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy


class StetError(Exception):
    """A rule of the domain was broken; ``detail`` says what happened, what was kept, what to do.

    ``errors`` lists faults of single fields; other keywords become members of the problem document.
    """

    code = "bad_request"
    status = 400
    title = gettext_lazy("The request cannot be carried out")

    def __init__(
        self,
        detail: str = "",
        *,
        code: str | None = None,
        status: int | None = None,
        errors: list[dict[str, Any]] | None = None,
        headers: dict[str, str] | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(detail)
        self.detail = detail or str(self.title)
        self.code = code or self.code
        self.status = status or self.status
        self.errors = errors or []
        self.headers = headers or {}
        self.extra = extra

    def problem(self) -> dict[str, Any]:
        """The error as an RFC 9457 problem document."""
        return {
            "type": f"urn:stet:problem:{self.code}",
            "title": str(self.title),
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": self.errors,
            **self.extra,
        }


class NotFound(StetError):
    code, status, title = "not_found", 404, gettext_lazy("There is no such thing here")


class Forbidden(StetError):
    code, status, title = "forbidden", 403, gettext_lazy("Your role does not allow this")


class Invalid(StetError):
    """The request is understood but its content breaks a rule."""

    code, status, title = "invalid", 422, gettext_lazy("The content breaks a rule")


class Conflict(StetError):
    code, status, title = "conflict", 409, gettext_lazy("The state does not allow this")


class Stale(StetError):
    """The thing moved on since the client last saw it; ``current`` carries what it is now."""

    code, status = "stale_head", 412
    title = gettext_lazy("Somebody or something moved on meanwhile")


class Unavailable(StetError):
    code, status = "unavailable", 503
    title = gettext_lazy("A part of the installation does not answer")
