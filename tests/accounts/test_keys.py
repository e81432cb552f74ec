"""The server knows the corrector's keys and names what has one."""

from __future__ import annotations

import pytest
from django.utils import translation

from stet.accounts.keys import key_taken, registry


def test_the_registry_is_the_pages_own() -> None:
    known = registry()
    assert {"locate", "take", "back", "help", "submit"} <= set(known.bindings)
    assert known.bindings["undo"].keys == ("u", "Ctrl+z")
    assert known.bindings["back"].fixed


@pytest.mark.parametrize("key", ["?", "j", "1", "Ctrl+Enter", " "])
def test_a_key_of_the_corrector_is_named(key: str) -> None:
    assert key_taken(key)


def test_a_key_of_the_browser_is_named() -> None:
    assert key_taken("Ctrl+t") == "a key of the browser"


def test_a_free_key_is_free() -> None:
    assert key_taken("x") is None


def test_the_name_is_in_the_readers_language() -> None:
    with translation.override("en"):
        assert key_taken("?") == "Show the keys"
    with translation.override("zh-hans"):
        assert key_taken("?") != "Show the keys"
