"""Clusters of tokens, and rows of a stream that never tear a character."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stet.common.errors import StetError
from stet.policies.clusters import TextRows, cluster_starts
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from tests.policies.folders import model_folder

FACE = "😀".encode()
FAMILY = "👩‍👩‍👧‍👦 שלום \x00\u200f中文é😀\ufffd"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(model_folder())


def one_byte_ids(tokenizer: Tokenizer) -> dict[int, int]:
    return {piece[0]: i for i, piece in enumerate(tokenizer.pieces) if len(piece) == 1}


@pytest.mark.parametrize(
    ("pieces", "starts"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([b"a", b"bc"], [0, 1], id="whole tokens"),
        pytest.param([b"a", FACE[:1], FACE[1:3], FACE[3:], b"b"], [0, 1, 1, 1, 4], id="emoji"),
        pytest.param([b"\x80", b"a"], [0, 1], id="lone continuation byte"),
        pytest.param([b"\x80", b"\x80"], [0, 1], id="two lone continuation bytes"),
        pytest.param([b"ab" + FACE[:1], FACE[1:]], [0, 0], id="letters and a first byte"),
        pytest.param([b"a", FACE[:1], FACE[1:2]], [0, 1, 1], id="stopped in a character"),
        pytest.param([b"a", b"", b"b"], [0, 1, 2], id="empty token"),
        pytest.param([FACE[:2], b"", FACE[2:]], [0, 0, 0], id="empty token in a character"),
        pytest.param([b"\xe4", b"a"], [0, 1], id="broken off by a letter"),
        pytest.param([b"\xe4", b"\xe5\xae\x89"], [0, 1], id="broken off by a character"),
        pytest.param([FACE[:1], FACE[1:] + FACE[:1], FACE[1:]], [0, 0, 0], id="chained"),
        pytest.param([FACE[:3] + b"<|im_end|>", b"\x80"], [0, 1], id="special after a tear"),
        pytest.param([FACE[:3], b"<|im_end|>", FACE[3:]], [0, 1, 2], id="special in a character"),
        pytest.param([b"\xf0", b"\x80"], [0, 1], id="overlong form"),
        pytest.param([b"\xed", b"\xa0\x80"], [0, 1], id="surrogate"),
        pytest.param([b"\xed\xa0", b"\x80"], [0, 1], id="surrogate cut later"),
        pytest.param([b"\xf5", b"\x80"], [0, 1], id="beyond Unicode"),
    ],
)
def test_clusters_begin_where_characters_do(pieces: list[bytes], starts: list[int]) -> None:
    assert cluster_starts(pieces) == starts


@settings(deadline=None)
@given(st.lists(st.binary(max_size=5), max_size=30))
def test_clusters_hold_whole_characters_and_are_the_smallest_that_do(pieces: list[bytes]) -> None:
    starts = cluster_starts(pieces)
    bounds = [*sorted(set(starts)), len(pieces)]
    runs = [pieces[a:b] for a, b in pairwise(bounds)]
    apart = "".join(b"".join(run).decode("utf-8", "replace") for run in runs)
    assert apart == b"".join(pieces).decode("utf-8", "replace")
    for run in runs:
        for cut in range(1, len(run)):
            left, right = b"".join(run[:cut]), b"".join(run[cut:])
            torn = left.decode("utf-8", "replace") + right.decode("utf-8", "replace")
            assert torn != (left + right).decode("utf-8", "replace") or not (left and right)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=5), max_size=30))
def test_later_tokens_never_move_a_cluster(pieces: list[bytes]) -> None:
    starts = cluster_starts(pieces)
    assert all(cluster_starts(pieces[:n]) == starts[:n] for n in range(len(pieces)))


def test_a_split_emoji_shows_at_its_last_token(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("a😀b")
    rows = TextRows(tokenizer).feed(ids)
    assert [row[1] for row in rows] == ["a", "", "", "😀", "b"]
    assert [row[2] for row in rows] == [None, "f09f", "98", "80", None]
    assert [row[0] for row in rows] == ids


def test_a_stopped_stream_keeps_the_open_bytes(tokenizer: Tokenizer) -> None:
    rows = TextRows(tokenizer)
    assert [row[1] for row in rows.feed(tokenizer.encode("a😀")[:-1])] == ["a", "", ""]
    assert rows.pending == FACE[:3]
    byte = one_byte_ids(tokenizer)
    assert rows.feed([byte[ord("b")]]) == [[byte[ord("b")], "\ufffdb", None]]
    assert rows.pending == b""


def test_a_prefix_in_mid_character_is_gone_on_with(tokenizer: Tokenizer) -> None:
    byte = one_byte_ids(tokenizer)
    ids = tokenizer.encode("x") + [byte[b] for b in FACE if b in byte]
    if len(ids) < 5:
        ids = tokenizer.encode("x😀")
    for cut in range(len(ids) + 1):
        rows = TextRows.after(tokenizer, ids[:cut])
        assert rows.pending == (b"" if cut in (0, 1, len(ids)) else tokenizer.bytes_of(ids[1:cut]))
        shown = "".join(str(row[1]) for row in rows.feed(ids[cut:]))
        assert shown == ("x😀" if cut == 0 else "😀" if cut < len(ids) else "")


@settings(deadline=None)
@given(data=st.data())
def test_rows_are_the_whole_text_however_the_stream_is_cut(data: st.DataObject) -> None:
    tokenizer = load_tokenizer(model_folder())
    tokens = st.one_of(
        st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=40),
        st.lists(st.sampled_from(list(one_byte_ids(tokenizer).values())), max_size=40),
        st.text(max_size=20).map(tokenizer.encode),
        st.lists(st.sampled_from(FAMILY), max_size=20).map("".join).map(tokenizer.encode),
    )
    ids = data.draw(tokens)
    stream, rows, at = TextRows(tokenizer), [], 0
    while at < len(ids):
        step = data.draw(st.integers(1, 7))
        rows += stream.feed(ids[at : at + step])
        at += step
    assert rows == TextRows(tokenizer).feed(ids)
    text = "".join(str(row[1]) for row in rows) + stream.pending.decode("utf-8", "replace")
    assert text == tokenizer.text_of(ids)
    assert [row[0] for row in rows] == ids
    cut = data.draw(st.integers(0, len(ids)))
    behind = TextRows(tokenizer)
    behind.feed(ids[:cut])
    assert TextRows.after(tokenizer, ids[:cut]).pending == behind.pending


def test_an_id_outside_the_vocabulary_ends_the_stream(tokenizer: Tokenizer) -> None:
    for bad in (-1, tokenizer.vocab_size):
        with pytest.raises(StetError, match="outside the vocabulary"):
            TextRows(tokenizer).feed([198, bad])


def test_long_paths_are_clustered_and_shown_in_time(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("中文字符，混合 English。👩‍👩‍👧‍👦" * 2000)[:32000]
    pieces = [tokenizer.pieces[i] for i in ids]
    started = time.process_time()
    cluster_starts(pieces)
    assert time.process_time() - started < 0.1
    started = time.process_time()
    stream = TextRows(tokenizer)
    for at in range(0, len(ids), 4):
        stream.feed(ids[at : at + 4])
    assert (time.process_time() - started) / len(ids) < 10e-6
