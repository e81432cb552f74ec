"""The app of people and their keys."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "stet.accounts"
    label = "accounts"
