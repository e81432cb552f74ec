"""One chunk of a stream: what it becomes, and what is refused whole."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from stet.policies.samplers.base import ModelBroken, ModelLost, ModelRefused, SamplerError
from stet.policies.samplers.chunks import ChunkReader

Choice = dict[str, Any]
K = 20


def chunk(ids: list[int], tops: list[dict[int, float]], at: int = 0, **changes: Any) -> bytes:
    choice: Choice = {
        "index": 0,
        "text": "?",
        "logprobs": {
            "text_offset": [at + 11 * n for n in range(len(ids))],
            "token_logprobs": [top[i] for i, top in zip(ids, tops, strict=True)],
            "tokens": [f"token_id:{i}" for i in ids],
            "top_logprobs": [{f"token_id:{i}": v for i, v in top.items()} for top in tops],
        },
        "finish_reason": None,
        "stop_reason": None,
        "prompt_token_ids": None,
        "token_ids": ids,
    } | changes
    return json.dumps({"id": "cmpl-1", "choices": [choice]}).encode()


def reader(**settings: Any) -> ChunkReader:
    return ChunkReader([1, 2], **{"max_tokens": 100, "vocab_size": 1000, **settings})


def falling(*ids: int) -> dict[int, float]:
    return {token_id: -1.0 - n / 8 for n, token_id in enumerate(ids)}


TOP = falling(*range(100, 120))


def test_candidates_come_sorted_with_the_sampled_token_in_its_place() -> None:
    top = {103: TOP[103]} | TOP
    piece = reader().read(chunk([103], [top]))
    assert piece is not None
    assert piece.ids.tolist() == [103]
    assert piece.candidate_ids.tolist() == list(range(100, 120))
    assert piece.candidate_logprobs.tolist() == list(TOP.values())
    assert piece.logprobs.tolist() == [TOP[103]]


def test_a_sampled_token_outside_the_list_keeps_only_its_own_number() -> None:
    piece = reader().read(chunk([7], [{7: -9.5} | TOP]))
    assert piece is not None
    assert piece.logprobs.tolist() == [-9.5]
    assert piece.candidate_ids.tolist() == list(range(100, 120))


def test_several_tokens_in_one_chunk_stay_apart() -> None:
    other = falling(*range(200, 220))
    piece = reader().read(chunk([7, 200], [{7: -9.5} | TOP, other]))
    assert piece is not None
    assert piece.ids.tolist() == [7, 200]
    assert piece.candidate_ids.tolist() == [*range(100, 120), *range(200, 220)]
    assert len(piece.candidate_logprobs) == 2 * K


def test_positions_count_ids_whatever_text_comes_with_them() -> None:
    """One id without text, three with one text, then none and a newline: five positions."""
    read = reader()
    pieces = [
        read.read(chunk([5], [falling(5, 6)], text="")),
        read.read(chunk([6, 7, 8], [falling(6, 9), falling(7, 9), falling(8, 9)], 11, text="x")),
        read.read(chunk([9], [falling(9, 5)], 44, text="\n")),
    ]
    assert [i for piece in pieces if piece for i in piece.ids] == [5, 6, 7, 8, 9]
    lists = [piece.candidate_ids.tolist() for piece in pieces if piece]
    assert [len(one) for one in lists] == [K, 3 * K, K]
    assert [one[at] for one in lists for at in range(0, len(one), K)] == [5, 6, 7, 8, 9]


def test_what_truncation_cut_is_minus_infinity() -> None:
    top = {5: -0.5, 6: -0.9} | dict.fromkeys(range(50, 68), -9999.0)
    piece = reader().read(chunk([5], [top]))
    assert piece is not None
    assert piece.candidate_logprobs[1] == pytest.approx(-0.9)
    assert all(value == -math.inf for value in piece.candidate_logprobs[2:])


def test_a_short_list_is_padded() -> None:
    piece = reader().read(chunk([5], [{5: 0.0, 6: -9999.0}]))
    assert piece is not None
    assert piece.candidate_ids.tolist() == [5, 6] + [-1] * 18
    assert all(math.isnan(value) for value in piece.candidate_logprobs[2:])


def test_the_end_carries_the_counts_of_the_server() -> None:
    read = reader()
    read.read(chunk([100], [TOP], prompt_token_ids=[1, 2]))
    read.read(
        chunk(
            [101],
            [TOP],
            finish_reason="stop",
            stop_reason=2,
            logprobs=json.loads(chunk([101], [TOP]))["choices"][0]["logprobs"]
            | {"text_offset": [12]},
        )
    )
    usage = {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}
    details = {"prompt_tokens_details": {"cached_tokens": 1}}
    read.read(json.dumps({"choices": [], "usage": usage | details}).encode())
    read.read(b" [DONE]\r")
    assert read.done
    end = read.finish()
    assert (end.finish_reason, end.stop_reason) == ("stop", 2)
    assert end.usage == usage | {"cached_tokens": 1}


def logprobs_with(**changes: Any) -> Callable[[Choice], None]:
    return lambda choice: choice["logprobs"].update(changes)


def without(name: str) -> Callable[[Choice], None]:
    return lambda choice: choice.pop(name)


WRONG: dict[str, Callable[[Choice], Any]] = {
    "another id than its name": lambda c: c.update(token_ids=[101]),
    "no ids": without("token_ids"),
    "no numbers": lambda c: c.update(logprobs=None),
    "ids that are text": lambda c: c.update(token_ids=["100"]),
    "a fraction as id": lambda c: c.update(token_ids=[100.5]),
    "a list too long": logprobs_with(tokens=["token_id:100", "token_id:101"]),
    "null as number": logprobs_with(token_logprobs=[None]),
    "text as number": logprobs_with(token_logprobs=["-1.0"]),
    "a number above zero": lambda c: (
        c["logprobs"].update(token_logprobs=[0.5]),
        c["logprobs"]["top_logprobs"][0].update({"token_id:100": 0.5}),
    ),
    "a candidate above zero": lambda c: c["logprobs"]["top_logprobs"][0].update(
        {"token_id:101": 0.5}
    ),
    "a candidate of null": lambda c: c["logprobs"]["top_logprobs"][0].update(
        {"token_id:101": None}
    ),
    "a candidate outside the vocabulary": lambda c: (
        c["logprobs"]["top_logprobs"][0].update({"token_id:1000": -8.0, "token_id:119": -9.0})
        or c["logprobs"]["top_logprobs"][0].pop("token_id:118")
    ),
    "a negative candidate": lambda c: c["logprobs"]["top_logprobs"].__setitem__(
        0, {"token_id:100": -1.0, "token_id:-3": -2.0}
    ),
    "a candidate by text": lambda c: c["logprobs"]["top_logprobs"].__setitem__(
        0, {"token_id:100": -1.0, " the": -2.0}
    ),
    "an id with leading zeros": lambda c: c["logprobs"]["top_logprobs"].__setitem__(
        0, {"token_id:100": -1.0, "token_id:007": -2.0}
    ),
    "a list without the sampled token": lambda c: c["logprobs"]["top_logprobs"].__setitem__(
        0, {"token_id:5": -1.0}
    ),
    "another prompt": lambda c: c.update(prompt_token_ids=[1, 2, 3]),
    "a second choice": lambda c: c.update(index=1),
    "a reason that is no text": lambda c: c.update(finish_reason=3),
    "22 candidates": lambda c: c["logprobs"]["top_logprobs"][0].update(
        {"token_id:1": -20.0, "token_id:2": -21.0}
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_chunk_is_refused_with(name: str) -> None:
    data = json.loads(chunk([100], [TOP]))
    WRONG[name](data["choices"][0])
    with pytest.raises(ModelBroken):
        reader().read(json.dumps(data).encode())


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b'"text"',
        b"{",
        b"{}",
        b'{"choices":null}',
        b'{"choices":[1]}',
        b'{"choices":[{}]}',
        b'{"choices":[],"usage":{}}',
        b'{"choices":[],"usage":7}',
        b'{"error":"text"}',
        chunk([100], [TOP]).replace(b"-1.0", b"NaN"),
        chunk([100], [TOP]).replace(b"-1.0", b"-1e999"),
        chunk([100], [TOP]).replace(b'"?"', b'"\xf0\x9f"'),
    ],
)
def test_a_payload_that_is_no_chunk_is_refused(payload: bytes) -> None:
    with pytest.raises(ModelBroken):
        reader().read(payload)


def test_the_same_chunk_twice_is_refused() -> None:
    read = reader()
    read.read(chunk([100], [TOP]))
    with pytest.raises(ModelBroken):
        read.read(chunk([100], [TOP]))


def test_more_tokens_than_asked_for_are_refused() -> None:
    with pytest.raises(ModelBroken):
        reader(max_tokens=1).read(chunk([100, 101], [TOP, TOP]))


def test_tokens_after_the_end_are_refused() -> None:
    read = reader()
    read.read(chunk([100], [TOP], finish_reason="length"))
    with pytest.raises(ModelBroken):
        read.read(chunk([100], [TOP]))


def test_a_count_that_differs_is_refused() -> None:
    read = reader()
    read.read(chunk([100], [TOP], finish_reason="length"))
    usage = {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}
    read.read(json.dumps({"choices": [], "usage": usage}).encode())
    with pytest.raises(ModelBroken):
        read.finish()


@pytest.mark.parametrize("reason", [None, "abort", "error"])
def test_a_stream_without_its_own_end_is_lost(reason: str | None) -> None:
    read = reader()
    read.read(chunk([100], [TOP], finish_reason=reason))
    with pytest.raises(ModelLost):
        read.finish()


@pytest.mark.parametrize(
    ("code", "before", "kind"),
    [(400, 0, ModelRefused), (500, 0, ModelBroken), (500, 1, ModelLost), (None, 0, ModelBroken)],
)
def test_an_error_event_says_whether_it_was_refused_or_lost(
    code: int | None, before: int, kind: type[SamplerError]
) -> None:
    read = reader()
    for _ in range(before):
        read.read(chunk([100], [TOP]))
    error = {"error": {"message": "<b>too</b>\x1b[31m long\n" + "x" * 300, "code": code}}
    with pytest.raises(kind) as caught:
        read.read(json.dumps(error).encode())
    detail = caught.value.detail
    assert len(detail) <= 200
    assert not set(detail) & set("<>\x1b\n")
    assert ("too" in detail) is (kind is ModelRefused)
