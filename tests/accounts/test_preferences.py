"""/me/preferences: one's own keys are checked whole, and stay one's own."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client as Browser

from stet.accounts.models import User
from tests.conftest import Client

URL = "/api/v1/me/preferences"


def change(client: Client, **body: Any) -> Any:
    return client.patch(URL, body, format="json")


def test_nothing_is_set_at_first(as_annotator: Client) -> None:
    assert as_annotator.get(URL).json() == {"keys": {}, "rendered": False}


def test_keys_are_kept_by_binding(as_annotator: Client) -> None:
    assert change(as_annotator, keys={"undo": ["x", "Ctrl+z"]}).status_code == 200
    kept = change(as_annotator, keys={"flag": ["Shift+f"]}, rendered=True).json()
    assert kept == {"keys": {"undo": ["x", "Ctrl+z"], "flag": ["Shift+f"]}, "rendered": True}
    assert as_annotator.get(URL).json() == kept


def test_one_or_all_go_back_to_the_standard(as_annotator: Client) -> None:
    change(as_annotator, keys={"undo": ["x"], "flag": ["Shift+f"]})
    assert change(as_annotator, keys={"undo": None}).json()["keys"] == {"flag": ["Shift+f"]}
    assert change(as_annotator, keys=None).json()["keys"] == {}


def test_a_clash_is_refused_with_its_name_and_nothing_is_changed(as_annotator: Client) -> None:
    change(as_annotator, keys={"undo": ["x"]})
    answer = change(as_annotator, keys={"undo": ["j"]})
    assert answer.status_code == 422
    assert answer.json()["code"] == "bad_keys"
    assert answer.json()["errors"][0]["field"] == "keys.undo"
    assert "Next sentence" in answer.json()["detail"]
    assert as_annotator.get(URL).json()["keys"] == {"undo": ["x"]}


def test_two_commands_change_places_at_once(as_annotator: Client) -> None:
    answer = change(as_annotator, keys={"stepDown": ["k"], "stepUp": ["j"]})
    assert answer.status_code == 200


def test_a_standard_key_that_was_taken_meanwhile_is_a_clash(as_annotator: Client) -> None:
    change(as_annotator, keys={"undo": ["x"]})
    change(as_annotator, keys={"flag": ["u"]})
    answer = change(as_annotator, keys={"undo": None})
    assert answer.status_code == 422
    assert "Flag the task" in answer.json()["detail"]


@pytest.mark.parametrize(
    "keys",
    [
        {"undo": ["Ctrl+t"]},
        {"undo": ["F5"]},
        {"undo": []},
        {"undo": ["a", "b", "x", "y"]},
        {"undo": ["Meta+x"]},
        {"undo": [""]},
        {"undo": ["\x07"]},
        {"undo": ["X"]},
        {"undo": "x"},
        {"undo": [7]},
        {"nothing": ["x"]},
        {"back": ["x"]},
        ["undo"],
        "undo",
    ],
)
def test_what_is_no_key_is_refused(as_annotator: Client, keys: Any) -> None:
    assert change(as_annotator, keys=keys).status_code == 422
    assert as_annotator.get(URL).json()["keys"] == {}


def test_an_unknown_preference_is_refused(as_annotator: Client) -> None:
    assert change(as_annotator, colour="red").status_code == 422


def test_nobody_else_sees_them(as_annotator: Client, as_owner: Client) -> None:
    change(as_annotator, keys={"undo": ["x"]})
    assert as_owner.get(URL).json()["keys"] == {}


def test_a_stranger_gets_401(db: None, client: Browser) -> None:
    assert client.get(URL).status_code == 401


def test_the_account_page_shows_them(client: Browser, annotator: User) -> None:
    annotator.preferences = {"keys": {"undo": ["x"]}}
    annotator.save()
    client.force_login(annotator)
    page = client.get("/account")
    assert page.status_code == 200
    assert '"undo": ["x"]' in page.content.decode()


def test_the_account_page_is_for_people_who_are_signed_in(db: None, client: Browser) -> None:
    assert client.get("/account").status_code == 302
