"""Episodes of random acts agree with the reference and keep the invariants."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from stet.stack.parts import Web
from tests.deep import position_now
from tests.live.machine import Episodes
from tests.live.stack import Scripted, Stack

PARTS = 8


def run(stack: Stack, webs: tuple[Web, Web], quick: Scripted, begin: int, episodes: int) -> None:
    """Run so many episodes from a seed, which a failure prints."""
    key = stack.person()
    apis = [stack.api(web, key) for web in webs]

    class Machine(Episodes):
        pass

    Machine.apis, Machine.stack, Machine.quick = apis, stack, quick
    Machine.tab = apis[0].tab()
    sys.stdout.write(f"{episodes} episodes from seed {begin}: STET_SEED={begin}\n")
    try:
        run_state_machine_as_test(
            seed(begin)(Machine),
            settings=settings(
                max_examples=episodes,
                stateful_step_count=12,
                deadline=None,
                database=None,
                print_blob=True,
                phases=[Phase.generate, Phase.shrink]
                if os.environ.get("STET_SHRINK")
                else [Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        Machine.tab.close()
        for api in apis:
            api.close()


def number(name: str, default: int) -> int:
    return int(os.environ.get(name) or default)


def test_episodes_agree_with_the_reference(
    stack: Stack, webs: tuple[Web, Web], quick: Scripted
) -> None:
    run(stack, webs, quick, number("STET_SEED", 0), number("STET_EPISODES", 100))


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_many_episodes_agree_with_the_reference(
    stack: Stack, webs: tuple[Web, Web], quick: Scripted, part: int
) -> None:
    """The seeds move on with every commit and every day, so that no run repeats another."""
    begin = number("STET_SEED", position_now() * PARTS)
    run(stack, webs, quick, begin + part, number("STET_EPISODES", 1000) // PARTS)
