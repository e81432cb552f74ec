"""What a person set for themselves: keys of the corrector, and how it shows an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from django.db import transaction
from django.utils.translation import gettext as _

from stet.accounts.keys import WRITTEN, Binding, registry
from stet.accounts.models import User
from stet.common.errors import Invalid

MOST = 3


class Preferences(TypedDict):
    """``keys``: own keys by binding. ``rendered``: answers are shown as Markdown beside."""

    keys: dict[str, list[str]]
    rendered: bool


DEFAULTS: Preferences = {"keys": {}, "rendered": False}


def preferences(user: User) -> Preferences:
    """All preferences, with the defaults where the person said nothing."""
    stored = {name: user.preferences[name] for name in DEFAULTS if name in user.preferences}
    return cast("Preferences", {**DEFAULTS, **stored})


@transaction.atomic
def preferences_change(*, user: User, changes: Mapping[str, Any]) -> Preferences:
    """Change what is named. ``keys`` holds lists by binding, None for the standard keys again;
    None in its place takes all of them back. Raises Invalid with one entry per fault."""
    held = User.objects.select_for_update().get(pk=user.pk)
    now = dict(held.preferences)
    for name, value in changes.items():
        now[name] = _keys(now.get("keys", {}), value) if name == "keys" else value
    held.preferences = user.preferences = now
    held.save(update_fields=["preferences"])
    return preferences(held)


def _keys(before: dict[str, list[str]], changes: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """The person's own keys after the changes, proved to mean one thing in each mode."""
    if changes is None:
        return {}
    known = registry().bindings
    own = {name: keys for name, keys in before.items() if name in known}
    faults: dict[str, str] = {}
    for name, keys in changes.items():
        if name not in known or known[name].fixed:
            faults[name] = _("This key cannot be changed.") if name in known else _("Unknown.")
        elif keys is None:
            own.pop(name, None)
        elif fault := _fault(keys):
            faults[name] = fault
        else:
            own[name] = list(dict.fromkeys(keys))
    for name in changes if not faults else ():
        if other := _clash(known[name], own):
            text = _("“%(key)s” is taken already: %(name)s. Nothing was changed.")
            faults[name] = text % {"key": other[0], "name": other[1].name}
    if faults:
        errors = [{"field": f"keys.{name}", "detail": text} for name, text in faults.items()]
        raise Invalid(errors[0]["detail"], code="bad_keys", errors=errors)
    return own


def _fault(keys: Sequence[str]) -> str:
    """Why these cannot be anybody's keys; empty where they can."""
    if not 0 < len(keys) <= MOST:
        return _("One to three keys, please.")
    for key in keys:
        if not WRITTEN.fullmatch(key):
            return _("“%(key)s” is not a key.") % {"key": key[:40]}
        if key in registry().browser:
            text = _("“%(key)s” belongs to the browser and would not reach this page.")
            return text % {"key": key}
    return ""


def _clash(binding: Binding, own: Mapping[str, Sequence[str]]) -> tuple[str, Binding] | None:
    """The first key of the binding that another one has in a mode that both act in."""
    mine = own.get(binding.id, binding.keys)
    for other in registry().bindings.values():
        if other.id == binding.id or not other.modes & binding.modes:
            continue
        for key in own.get(other.id, other.keys):
            if key in mine:
                return key, other
    return None
