"""An act is one transaction, whichever services it calls."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stet.accounts.models import User
from stet.common.errors import Conflict
from stet.common.transactions import act, joins_act, on_rollback


@joins_act
def user_add(name: str, *, fails: bool = False) -> User:
    user = User.objects.create_user(name)
    if fails:
        raise Conflict
    return user


def test_a_service_joins_the_act_without_a_savepoint_of_its_own(db: None) -> None:
    with CaptureQueriesContext(connection) as alone:
        user_add("alone")
    with CaptureQueriesContext(connection) as joined, act():
        user_add("first")
        user_add("second")
    assert len(alone) == 3
    assert len(joined) == 4


def test_what_one_service_raises_undoes_the_whole_act(db: None) -> None:
    def both() -> None:
        with act():
            user_add("first")
            user_add("second", fails=True)

    with pytest.raises(Conflict):
        both()
    assert not User.objects.filter(username__in=["first", "second"]).exists()


def test_after_an_act_a_service_is_alone_again(db: None) -> None:
    with act():
        user_add("within")
    with pytest.raises(Conflict):
        user_add("after", fails=True)
    assert list(User.objects.values_list("username", flat=True)) == ["within"]


def test_what_a_database_cannot_undo_is_taken_back_when_an_act_fails(db: None) -> None:
    undone: list[str] = []

    @joins_act
    def send(letter: str, *, fails: bool = False) -> None:
        on_rollback(lambda: undone.append(letter))
        user_add(f"sender of {letter}", fails=fails)

    with act():
        send("kept")
    assert undone == []
    with pytest.raises(Conflict):
        send("alone", fails=True)
    assert undone == ["alone"]
