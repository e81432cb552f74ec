"""What is answered where no view answers: pages for people, problem documents for programs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults

from stet.common.errors import NotFound, StetError
from stet.common.http import as_stet_error, problem_response, wants_json


class Broken(StetError):
    code, status, title = "server_error", 500, gettext_lazy("A fault of the server")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that was refused before a view saw it, such as an upload beyond the limit."""
    error = as_stet_error(exception) or StetError()
    if wants_json(request):
        return problem_response(error)
    return render(request, "_error.html", {"error": error}, status=error.status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No such address, or nothing there for this person."""
    if wants_json(request):
        return problem_response(NotFound())
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    """A fault of the server; its traceback is in the log and nowhere else."""
    if wants_json(request):
        return problem_response(
            Broken(_("Nothing of this request was kept. The server's log says more."))
        )
    return defaults.server_error(request)
