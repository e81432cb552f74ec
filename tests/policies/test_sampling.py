"""Which sampling parameters are taken, and which make a log-probability inexact."""

from __future__ import annotations

from typing import Any

import pytest

from stet.common.errors import Invalid
from stet.policies.sampling import Sampling


def test_no_parameter_gives_the_plain_policy() -> None:
    sampling = Sampling.parse({})
    assert sampling == Sampling()
    assert sampling.exact_ratio
    assert sampling.as_dict() == {
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": 0.0,
        "max_tokens": 512,
        "seed": None,
        "repetition_penalty": 1.0,
        "frequency_penalty": 0.0,
        "presence_penalty": 0.0,
    }


def test_parsing_what_was_stored_gives_the_same() -> None:
    sampling = Sampling(temperature=0.7, top_k=40, seed=2**63 - 1)
    assert Sampling.parse(sampling.as_dict()) == sampling


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        ("temperature", -0.1),
        ("temperature", 5.1),
        ("temperature", 0.001),
        ("temperature", True),
        ("temperature", "1"),
        ("temperature", None),
        ("temperature", 10**400),
        ("top_p", 0),
        ("top_p", 1.01),
        ("top_k", 1.5),
        ("top_k", -1),
        ("top_k", 1001),
        ("min_p", float("-inf")),
        ("max_tokens", 0),
        ("max_tokens", 32769),
        ("max_tokens", None),
        ("seed", -1),
        ("seed", 2**63),
        ("seed", "7"),
        ("repetition_penalty", 0),
        ("frequency_penalty", 2.5),
        ("presence_penalty", []),
        ("prompt_logprobs", 0),
        ("n", 2),
    ],
)
def test_a_value_out_of_its_limits_is_named(name: str, value: Any) -> None:
    with pytest.raises(Invalid) as caught:
        Sampling.parse({name: value})
    assert caught.value.code == "bad_sampling"
    assert caught.value.status == 422
    assert [error["field"] for error in caught.value.errors] == [name]


def test_every_fault_is_listed_at_once() -> None:
    with pytest.raises(Invalid) as caught:
        Sampling.parse({"top_p": 2, "temperature": "hot", "top_k": 5, "colour": 1})
    assert [error["field"] for error in caught.value.errors] == ["top_p", "temperature", "colour"]


def test_a_list_is_no_set_of_parameters() -> None:
    with pytest.raises(Invalid):
        Sampling.parse([])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "exact"),
    [
        ({"temperature": 0.7}, True),
        ({"temperature": 0}, False),
        ({"top_p": 0.99}, False),
        ({"top_k": 50}, False),
        ({"min_p": 0.1}, False),
        ({"repetition_penalty": 1.1}, False),
        ({"frequency_penalty": 0.1}, False),
        ({"presence_penalty": -0.1}, False),
        ({"seed": 3, "max_tokens": 9}, True),
    ],
)
def test_only_an_uncut_policy_gives_exact_ratios(values: dict[str, Any], exact: bool) -> None:
    assert Sampling.parse(values).exact_ratio is exact
