"""One transaction for an act: services join the one that is open for the request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import transaction

P = ParamSpec("P")
R = TypeVar("R")
Undo = Callable[[], object]
_act: ContextVar[list[Undo] | None] = ContextVar("act", default=None)


@contextmanager
def act() -> Iterator[None]:
    """The transaction of a request's act: whatever raises inside undoes all of it."""
    undo: list[Undo] = []
    before = _act.set(undo)
    try:
        with transaction.atomic():
            yield
    except BaseException:
        for effect in undo:
            effect()
        raise
    finally:
        _act.reset(before)


def on_rollback(effect: Undo) -> None:
    """Call ``effect`` if the act that is open fails: it takes back what no database undoes."""
    undo = _act.get()
    assert undo is not None, "only an act can be taken back"
    undo.append(effect)


def joins_act(service: Callable[P, R]) -> Callable[P, R]:
    """Run in the act that is open, else in a transaction of its own.

    Within an act it makes no savepoint, which saves two trips to the database; whoever catches
    an error of the service must therefore not go on with the act.
    """

    @wraps(service)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if _act.get() is not None:
            return service(*args, **kwargs)
        with act():
            return service(*args, **kwargs)

    return call
