"""The keys of the corrector, from the registry that the page itself uses."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import DjangoTranslation

NAMED = r"Enter|Home|End|Page(?:Up|Down)|Arrow(?:Left|Right|Up|Down)|Backspace|Delete|F\d{1,2}"
# A letter is written small; Shift with a sign is the sign that it prints.
WRITTEN = re.compile(rf"(?:Ctrl\+)?(?:Alt\+)?(?:Shift\+)?(?:[^\s\x00-\x1f\x7fA-Z]| |{NAMED})")


@dataclass(frozen=True)
class Binding:
    """One line of the registry; ``fixed`` keys cannot be given to something else."""

    id: str
    label: str
    keys: tuple[str, ...]
    modes: frozenset[str]
    fixed: bool

    @property
    def name(self) -> str:
        """What it does, in the reader's language: the page's catalogue has the words."""
        return str(_catalogue(get_language() or settings.LANGUAGE_CODE).gettext(self.label))


@dataclass(frozen=True)
class Registry:
    """Every binding by its id, and the keys that browsers keep."""

    bindings: dict[str, Binding]
    browser: frozenset[str]


@cache
def registry() -> Registry:
    file = settings.PAGES / "static" / "js" / "corrector" / "keys.json"
    stored = json.loads(file.read_text(encoding="utf-8"))
    bindings = [
        Binding(row["id"], row["label"], tuple(row["keys"]), frozenset(row["modes"]), row["fixed"])
        for row in stored["bindings"]
    ]
    return Registry({one.id: one for one in bindings}, frozenset(stored["browser"]))


@cache
def _catalogue(language: str) -> DjangoTranslation:
    folders = [str(path) for path in settings.LOCALE_PATHS]
    return DjangoTranslation(language, domain="djangojs", localedirs=folders)


def key_taken(key: str) -> str | None:
    """What has the key in the corrector or the browser, in words; None where it is free."""
    known = registry()
    for binding in known.bindings.values():
        if key in binding.keys:
            return binding.name
    return _("a key of the browser") if key in known.browser else None
