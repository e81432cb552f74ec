"""Signing in and out, and the language of a person."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from stet.accounts.models import User
from stet.accounts.preferences import preferences
from stet.accounts.selectors import signed_in
from stet.accounts.services import language_set


class SignIn(auth.LoginView):
    """The page and its form; afterwards the pages speak the person's language."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    @method_decorator(never_cache)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        language = form.get_user().language
        if language:
            _remember(response, language)
        return response


sign_out = auth.LogoutView.as_view()


@login_required
@require_GET
def account(request: HttpRequest) -> HttpResponse:
    """One's own settings: the keys of the corrector."""
    page = {"api": "/api/v1", "preferences": preferences(signed_in(request))}
    return render(request, "accounts/account.html", {"page": page, "section": "account"})


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Choose the language, for the browser and, signed in, for the person."""
    wanted = request.POST.get("language", "")
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    response: HttpResponse = redirect(target if safe else "/")
    if wanted in dict(settings.LANGUAGES):
        _remember(response, wanted)
        if isinstance(request.user, User):
            language_set(user=request.user, language=wanted)
    return response


def _remember(response: HttpResponse, wanted: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, wanted, max_age=365 * 86400, samesite="Lax", httponly=True
    )
