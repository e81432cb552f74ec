"""The addresses of people."""

from __future__ import annotations

from django.urls import URLPattern, path

from stet.accounts import views
from stet.accounts.api import MeView, TokensView, TokenView
from stet.accounts.preferences_api import PreferencesView

api: list[URLPattern] = [
    path("me", MeView.as_view()),
    path("me/preferences", PreferencesView.as_view()),
    path("tokens", TokensView.as_view()),
    path("tokens/<int:pk>", TokenView.as_view()),
]
pages: list[URLPattern] = [
    path("sign-in", views.SignIn.as_view(), name="sign-in"),
    path("sign-out", views.sign_out, name="sign-out"),
    path("account", views.account, name="account"),
    path("language", views.language, name="set_language"),
]
