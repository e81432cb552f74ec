"""The real byte-level tokenizer: exact bytes, no text becomes special."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stet.common.errors import StetError
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from tests.policies.folders import as_server, byte_level, model_folder

TEXTS = [
    "",
    "plain",
    " leading",
    "中文，混合 English。",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "שלום مرحبا",
    "nul\x00\x01\x7f",
    "\ue000\uf8ff\U000f0000\U0010ffff",
    "\r\n\t\u2028\ufeff",
    "²  Ⅳ",
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(model_folder())


def test_the_folder_tells_hash_size_special_and_end_tokens(tokenizer: Tokenizer) -> None:
    data = (model_folder() / "tokenizer.json").read_bytes()
    assert tokenizer.sha256 == hashlib.sha256(data).hexdigest()
    assert tokenizer.vocab_size == 49152
    assert tokenizer.eos_ids == (2, 0)
    assert tokenizer.special[2] == "<|im_end|>"
    assert tokenizer.is_special(1)
    assert not tokenizer.is_special(198)
    assert tokenizer.token_bytes(2) == b"<|im_end|>"


@pytest.mark.parametrize("text", TEXTS)
def test_text_goes_to_the_servers_ids_and_back_to_its_bytes(
    tokenizer: Tokenizer, text: str
) -> None:
    ids = tokenizer.encode(text)
    assert ids == as_server(model_folder(), text)
    assert tokenizer.bytes_of(ids) == text.encode()
    assert tokenizer.text_of(ids) == text


@settings(deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_comes_back_but_for_bytes_that_the_vocabulary_lacks(text: str) -> None:
    tokenizer = load_tokenizer(model_folder())
    known = {piece for piece in tokenizer.pieces if len(piece) == 1}
    kept = b"".join(byte for byte in map(bytes, zip(text.encode(), strict=True)) if byte in known)
    assert tokenizer.bytes_of(tokenizer.encode(text)) == kept


@settings(deadline=None)
@given(
    text=st.lists(
        st.sampled_from(
            ["<|im_end|>", "<|im_start|>", "<|endoftext|>", "<", "|>", "im_", " a", "中"]
        )
    ).map("".join)
)
def test_text_that_looks_special_stays_text(text: str) -> None:
    tokenizer = load_tokenizer(model_folder())
    ids = tokenizer.encode(text)
    assert not set(ids) & tokenizer.special.keys()
    assert tokenizer.text_of(ids) == text


def test_every_id_has_the_bytes_that_the_library_decodes(tokenizer: Tokenizer) -> None:
    from tokenizers import Tokenizer as Library

    library = Library.from_file(str(model_folder() / "tokenizer.json"))
    for token_id in range(0, tokenizer.vocab_size, 7):
        text = library.decode([token_id], skip_special_tokens=False)
        assert tokenizer.token_bytes(token_id).decode("utf-8", errors="replace") == text


def test_half_a_surrogate_pair_is_refused(tokenizer: Tokenizer) -> None:
    for text in ("a\ud800", "\udfff", "\ud83d \ude00"):
        with pytest.raises(StetError) as error:
            tokenizer.encode(text)
        assert (error.value.code, error.value.status) == ("bad_text", 422)


@pytest.mark.parametrize("bad", [-1, 49152, 10**9])
def test_an_id_outside_the_vocabulary_is_refused(tokenizer: Tokenizer, bad: int) -> None:
    with pytest.raises(StetError, match="outside the vocabulary"):
        tokenizer.bytes_of([1, bad])


def test_a_document_encodes_whole_and_tells_where_each_piece_went(tokenizer: Tokenizer) -> None:
    pieces: list[str | int] = [1, "user\n", "hello ", "world", 2, "", "\n"]
    ids, runs = tokenizer.encode_pieces(pieces)
    assert ids == as_server(model_folder(), "<|im_start|>user\nhello world<|im_end|>\n")
    assert [tokenizer.text_of(ids[a:b]) for a, b in runs] == [
        "<|im_start|>",
        "user\n",
        "hello world",  # the token of " world" belongs to both pieces that it touches
        " world",
        "<|im_end|>",
        "",
        "\n",
    ]


def test_a_loaded_folder_is_kept_until_a_file_changes(tmp_path: Path) -> None:
    first = load_tokenizer(byte_level(tmp_path))
    assert load_tokenizer(tmp_path) is first
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [7, 8]}))
    assert load_tokenizer(tmp_path).eos_ids == (7, 8)
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": 7}))
    assert load_tokenizer(tmp_path).eos_ids == (7,)
    (tmp_path / "generation_config.json").unlink()
    assert load_tokenizer(tmp_path).eos_ids == first.eos_ids


def test_a_padded_output_layer_makes_ids_without_bytes(tmp_path: Path) -> None:
    shutil.copy(model_folder() / "tokenizer.json", tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"text_config": {"vocab_size": 49280}}))
    tokenizer = load_tokenizer(tmp_path)
    assert tokenizer.vocab_size == 49280
    assert tokenizer.token_bytes(49279) == b""
    assert tokenizer.eos_ids == ()


def test_a_folder_without_a_usable_tokenizer_says_so(tmp_path: Path) -> None:
    with pytest.raises(StetError) as missing:
        load_tokenizer(tmp_path)
    assert missing.value.code == "tokenizer_missing"
    raw = json.loads((model_folder() / "tokenizer.json").read_bytes())
    raw["model"]["merges"] = [["no", "such"]]
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    with pytest.raises(StetError) as broken:
        load_tokenizer(tmp_path)
    assert broken.value.code == "bad_tokenizer"
