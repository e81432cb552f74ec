"""Whatever a server sends, a chunk becomes a sound piece or a SamplerError, nothing else."""

from __future__ import annotations

import math

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from stet.policies.samplers.base import NO_ID, Piece, SamplerError
from stet.policies.samplers.body import completion_body
from stet.policies.samplers.chunks import ChunkReader
from stet.policies.sampling import Sampling
from tests.scripted.events import events
from tests.scripted.script import Script
from tests.scripted.use import PROMPT, small_folder

SCRIPT = Script(small_folder(), tokens=30)
BODY = completion_body(PROMPT, Sampling(), model="m")
PAYLOADS = [event[6:-2] for event in events(BODY, *SCRIPT.play(BODY), created=0)][:-1]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def sound(piece: Piece) -> None:
    count, k = len(piece.ids), piece.k
    assert count == len(piece.logprobs) > 0
    assert len(piece.candidate_ids) == len(piece.candidate_logprobs) == count * k
    assert all(0 <= token_id < SCRIPT.vocab_size for token_id in piece.ids)
    for row in range(count):
        ids = piece.candidate_ids[row * k : (row + 1) * k].tolist()
        values = piece.candidate_logprobs[row * k : (row + 1) * k].tolist()
        real = [value for token_id, value in zip(ids, values, strict=True) if token_id != NO_ID]
        assert ids == ids[: len(real)] + [NO_ID] * (k - len(real))
        assert all(0 <= token_id < SCRIPT.vocab_size for token_id in ids[: len(real)])
        assert len(set(ids[: len(real)])) == len(real)
        assert real == sorted(real, reverse=True)
        assert all(math.isnan(value) for value in values[len(real) :])
    assert all(value <= 0.001 for value in piece.logprobs)


def attempt(payload: bytes) -> None:
    reader = ChunkReader(PROMPT, max_tokens=64, vocab_size=SCRIPT.vocab_size)
    try:
        piece = reader.read(payload)
    except SamplerError:
        return
    if piece is not None:
        sound(piece)


@settings(deadline=None)
@given(
    st.sampled_from(PAYLOADS),
    st.lists(st.tuples(st.integers(0, 1500), st.binary(max_size=3)), min_size=1, max_size=4),
)
def test_bytes_that_changed_on_the_way(payload: bytes, changes: list[tuple[int, bytes]]) -> None:
    for at, new in changes:
        payload = payload[:at] + new + payload[at + len(new) :]
    attempt(payload)


PLACES = ("text_offset", "token_logprobs", "tokens", "top_logprobs")
FIELDS = ("index", "logprobs", "token_ids", "prompt_token_ids", "finish_reason", "stop_reason")


@settings(deadline=None)
@given(st.sampled_from(PAYLOADS[:-1]), st.sampled_from((*PLACES, *FIELDS)), st.booleans(), JSON)
def test_fields_that_hold_something_else(
    payload: bytes, name: str, listed: bool, value: object
) -> None:
    chunk = orjson.loads(payload)
    choice = chunk["choices"][0]
    holder = choice["logprobs"] if name in PLACES else choice
    holder[name] = [value] if listed else value
    try:
        payload = orjson.dumps(chunk)
    except TypeError:
        return
    attempt(payload)


@settings(deadline=None)
@given(JSON)
def test_any_json_at_all(value: object) -> None:
    try:
        attempt(orjson.dumps(value))
    except TypeError:
        return


def test_the_untouched_payloads_are_sound() -> None:
    reader = ChunkReader(PROMPT, max_tokens=64, vocab_size=SCRIPT.vocab_size)
    pieces = [piece for payload in PAYLOADS if (piece := reader.read(payload)) is not None]
    for piece in pieces:
        sound(piece)
    assert len(pieces) == 30
    assert reader.finish().finish_reason == "stop"
