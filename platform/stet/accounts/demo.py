"""The people of the demo: their passwords are made once and kept in a file of this machine."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.accounts.authentication import token_hash
from stet.accounts.models import ApiToken, User
from stet.accounts.services import token_create
from stet.common.errors import Conflict

NAMES = ("annotator", "reviewer", "researcher", "owner", "admin")
DOMAIN = "demo.invalid"
TOKEN_NAME = "demo trainer"
TOKEN_DAYS = 365
Secrets = dict[str, str]


class NotOurs(Conflict):
    code, title = "not_ours", gettext_lazy("The demo touches no account that it did not make")


class SignIns:
    """The file of passwords and of the trainer's key, readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.passwords: Secrets = {}
        self.token = ""
        if path.exists():
            stored = json.loads(path.read_text())
            self.passwords = dict(stored.get("passwords", {}))
            self.token = str(stored.get("token", ""))

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({"passwords": self.passwords, "token": self.token}, file, indent=2)
        part.replace(self.path)


@transaction.atomic
def people_ensure(*, sign_ins: SignIns) -> dict[str, User]:
    """The demo's people by name, made or as they are, with the passwords of the file.

    Raises NotOurs when somebody else's account has one of the names.
    """
    people = {}
    for name in NAMES:
        user = User.objects.filter(username=name).first()
        if user is not None and user.email != _email(name):
            raise NotOurs(
                _(
                    "There is an account “%(name)s” that the demo did not make. Nothing was "
                    "changed; rename that account, or load the demo into an empty database."
                )
                % {"name": name}
            )
        password = sign_ins.passwords.setdefault(name, secrets.token_urlsafe(12))
        if user is None:
            user = User(username=name, email=_email(name), is_superuser=name == "admin")
        if not check_password(password, user.password):
            user.set_password(password)
            user.save()
        people[name] = user
    _token_ensure(sign_ins, people["researcher"])
    sign_ins.save()
    return people


def _email(name: str) -> str:
    return f"{name}@{DOMAIN}"


def _token_ensure(sign_ins: SignIns, user: User) -> None:
    """A live token of the trainer whose key the file holds."""
    live = ApiToken.objects.live().filter(user=user)
    if not live.filter(key_sha256=token_hash(sign_ins.token)).exists():
        _token, sign_ins.token = token_create(user=user, name=TOKEN_NAME, days=TOKEN_DAYS)
