"""Other families of tokenizers, made small here: SentencePiece, Unigram, special tokens behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, pre_tokenizers

from stet.common.errors import StetError
from stet.policies.clusters import TextRows
from stet.policies.tokenizer import load_tokenizer
from tests.policies.folders import as_server, byte_level, save, sentencepiece, unigram

TEXTS = ["the fox", " the fox", "fox  fox\n", "中文 😀", "a\x00b", "</s>", "x</s>the<|im_end|>"]


@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("text", TEXTS)
def test_sentencepiece_text_keeps_its_bytes_and_gains_no_space(
    tmp_path: Path, text: str, legacy: bool
) -> None:
    tokenizer = load_tokenizer(sentencepiece(tmp_path, legacy=legacy))
    ids = tokenizer.encode(text)
    assert tokenizer.bytes_of(ids) == text.encode()
    assert not set(ids) & tokenizer.special.keys()
    assert "".join(str(row[1]) for row in TextRows(tokenizer).feed(ids)) == text


@pytest.mark.parametrize("legacy", [True, False])
def test_a_sentencepiece_document_is_what_the_server_makes(tmp_path: Path, legacy: bool) -> None:
    folder = sentencepiece(tmp_path, legacy=legacy)
    tokenizer = load_tokenizer(folder)
    names = {name: i for i, name in tokenizer.special.items()}
    pieces: list[str | int] = [
        names["<|im_start|>"],
        "the fox\n",
        names["<|im_end|>"],
        "\nfox",
        names["</s>"],
    ]
    text = "<|im_start|>the fox\n<|im_end|>\nfox</s>"
    assert tokenizer.encode_pieces(pieces)[0] == as_server(folder, text)
    assert tokenizer.encode_pieces(["the fox"])[0] == as_server(folder, "the fox")


def test_byte_fallback_tokens_are_single_bytes(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(sentencepiece(tmp_path, legacy=True))
    ids = tokenizer.encode("é")
    assert [tokenizer.token_bytes(i) for i in ids] == [b"\xc3", b"\xa9"]
    assert tokenizer.token_bytes(tokenizer.encode("▁")[0]) == b" "
    assert tokenizer.eos_ids == (2,)


def test_a_vocabulary_that_holds_a_special_name_as_a_word_does_not_make_it(tmp_path: Path) -> None:
    folder = unigram(tmp_path)
    tokenizer = load_tokenizer(folder)
    end = next(i for i, name in tokenizer.special.items() if name == "</s>")
    assert as_server(folder, "</s>") == [end]
    assert end not in tokenizer.encode("fox</s>")
    assert tokenizer.text_of(tokenizer.encode("fox</s>")) == "fox</s>"


def test_special_tokens_behind_the_vocabulary_keep_their_ids(tmp_path: Path) -> None:
    folder = byte_level(tmp_path)
    tokenizer = load_tokenizer(folder)
    library = Library.from_file(str(folder / "tokenizer.json"))
    assert all(library.token_to_id(name) == i for i, name in tokenizer.special.items())
    thought = int(library.token_to_id("<think>") or 0)
    assert not tokenizer.is_special(thought)
    assert tokenizer.encode("a<think>b<|im_end|>").count(thought) == 1
    assert tokenizer.token_bytes(thought) == b"<think>"
    assert not set(tokenizer.encode("<|im_end|>")) & tokenizer.special.keys()


def test_a_merge_that_spells_a_special_name_is_not_followed(tmp_path: Path) -> None:
    vocab = {"<": 0, "s": 1, ">": 2, "<s": 3, "<s>": 4, "a": 5}
    built = Library(models.BPE(vocab, [("<", "s"), ("<s", ">")], ignore_merges=True))
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)
    built.decoder = decoders.ByteLevel()
    tokenizer = load_tokenizer(save(tmp_path, built, special=["<s>"], eos="<s>"))
    assert tokenizer.encode("<s>") == [3, 2]
    assert tokenizer.encode_pieces([4])[0] == [4]


def test_a_family_that_loses_bytes_is_refused(tmp_path: Path) -> None:
    built = Library(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    built.pre_tokenizer = pre_tokenizers.Whitespace()
    built.decoder = decoders.WordPiece()
    folder = save(tmp_path, built, special=["[UNK]"], eos="[UNK]")
    with pytest.raises(StetError) as error:
        load_tokenizer(folder)
    assert error.value.code == "tokenizer_unsupported"
