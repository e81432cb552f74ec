"""The environment chooses which parts run here; a wrong choice is one clear line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from stet.stack.choices import BadChoice, elsewhere, secret_key, web_port
from stet.stack.ports import free_port, is_free


def test_without_variables_all_parts_run_here() -> None:
    chosen = elsewhere({})
    assert (chosen.database, chosen.redis, chosen.model) == (None, None, None)
    assert chosen.model_name == "smollm2-135m"


def test_a_model_elsewhere_needs_its_tokenizer() -> None:
    with pytest.raises(BadChoice, match="VLLM_URL needs TOKENIZER_DIR"):
        elsewhere({"VLLM_URL": "http://127.0.0.1:9"})


def test_a_tokenizer_folder_must_hold_one(tmp_path: Path) -> None:
    with pytest.raises(BadChoice, match=r"holds no tokenizer\.json"):
        elsewhere({"VLLM_URL": "http://127.0.0.1:9", "TOKENIZER_DIR": str(tmp_path)})


def test_a_silent_server_asks_for_the_model_name(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").touch()
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(BadChoice, match="VLLM_MODEL"):
        elsewhere({"VLLM_URL": url, "TOKENIZER_DIR": str(tmp_path)})
    named = elsewhere({"VLLM_URL": url, "TOKENIZER_DIR": str(tmp_path), "VLLM_MODEL": "big"})
    assert (named.model, named.model_name, named.tokenizer) == (url, "big", tmp_path)


def test_a_taken_port_is_refused_by_name_when_it_was_chosen() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free(port)
        assert free_port(port) != port
        with pytest.raises(BadChoice, match=f"Port {port} is in use"):
            web_port({"STET_PORT": str(port)})


@pytest.mark.parametrize("text", ["no", "0", "70000", "-1"])
def test_a_port_must_be_a_port_number(text: str) -> None:
    with pytest.raises(BadChoice, match="STET_PORT"):
        web_port({"STET_PORT": text})


def test_the_secret_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    first = secret_key(tmp_path)
    assert len(first) >= 50
    assert secret_key(tmp_path) == first
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
