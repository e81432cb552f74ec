"""Signing in and out with the browser, and the language of a person."""

from __future__ import annotations

import pytest
from django.test import Client

from stet.accounts.models import User

PASSWORD = "a long pass phrase"


@pytest.fixture
def user(db: None) -> User:
    return User.objects.create_user(username="mei", password=PASSWORD, language="zh-hans")


def test_a_person_signs_in_and_out(user: User, client: Client) -> None:
    assert client.get("/").headers["Location"] == "/sign-in?next=/"
    page = client.get("/sign-in")
    assert page.status_code == 200
    done = client.post("/sign-in", {"username": "mei", "password": PASSWORD})
    assert (done.status_code, done.headers["Location"]) == (302, "/")
    assert client.get("/").status_code == 200
    assert client.get("/sign-out").status_code == 405
    assert client.post("/sign-out").status_code == 302
    assert client.get("/").status_code == 302


def test_a_wrong_password_says_so_and_names_nobody(user: User, client: Client) -> None:
    known = client.post("/sign-in", {"username": "mei", "password": "wrong"})
    unknown = client.post("/sign-in", {"username": "nobody", "password": "wrong"})
    assert (known.status_code, unknown.status_code) == (200, 200)
    assert 'role="alert"' in known.text
    assert known.text.count("alert") == unknown.text.count("alert")


def test_an_inactive_person_stays_out(user: User, client: Client) -> None:
    User.objects.update(is_active=False)
    assert client.post("/sign-in", {"username": "mei", "password": PASSWORD}).status_code == 200
    assert client.get("/").status_code == 302


def test_another_site_is_no_place_to_go_next(user: User, client: Client) -> None:
    sent = {"username": "mei", "password": PASSWORD, "next": "https://evil.example/"}
    assert client.post("/sign-in", sent).headers["Location"] == "/"
    sent = {"language": "en", "next": "//evil.example"}
    assert client.post("/language", sent).headers["Location"] == "/"


def test_pages_speak_the_persons_language(user: User, client: Client) -> None:
    client.post("/sign-in", {"username": "mei", "password": PASSWORD})
    assert '<html lang="zh-Hans"' in client.get("/").text
    assert client.post("/language", {"language": "en", "next": "/"}).status_code == 302
    assert '<html lang="en"' in client.get("/").text
    user.refresh_from_db()
    assert user.language == "en"


@pytest.mark.parametrize("language", ["", "xx", "../../etc", "x" * 10_000, "zh-hans\x00"])
def test_an_unknown_language_changes_nothing(user: User, client: Client, language: str) -> None:
    client.force_login(user)
    assert client.post("/language", {"language": language}).status_code == 302
    user.refresh_from_db()
    assert user.language == "zh-hans"


def test_a_form_without_the_secret_of_the_page_is_refused(user: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/sign-in", {"username": "mei", "password": PASSWORD}).status_code == 403
    strict.force_login(user)
    assert strict.post("/sign-out").status_code == 403
    made = strict.post("/api/v1/projects", {"name": "x"}, content_type="application/json")
    assert made.status_code == 403
