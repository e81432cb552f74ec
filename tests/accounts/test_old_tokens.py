"""A token of the first release opens its door for the whole major version: its form is pinned."""

from __future__ import annotations

from stet.accounts.models import ApiToken, User
from tests.accounts.test_tokens import with_key

KEY = "stet_0123456789abcdefghijABCDEFGHIJ0123456789abc"
SHA256 = "c6eccffe0f38affdaca9b138e79bdfa7473c50c6807f9c90b7d2c321b91f0703"


def test_a_token_that_was_stored_by_the_first_release_still_works(annotator: User) -> None:
    ApiToken.objects.create(
        user=annotator, name="old", key_sha256=bytes.fromhex(SHA256), scopes=["read"]
    )
    me = with_key(KEY).get("/api/v1/me")
    assert me.status_code == 200
    assert me.json()["username"] == annotator.username
    assert with_key(KEY).post("/api/v1/projects", {"name": "x"}, format="json").status_code == 403
