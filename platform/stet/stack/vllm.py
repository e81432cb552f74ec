"""The embedded model server: vLLM on the CPU."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from stet.stack.part import Part
from stet.stack.ports import LOOPBACK, http_status
from stet.stack.preflight import cpu_flags

SERVED_NAME = "smollm2-135m"
USUALLY = "40-105 s"
# `vllm serve` looks for a distribution that the CPU wheel does not have.
MODULE = "vllm.entrypoints.openai.api_server"
FLAGS = [
    "--enforce-eager",
    *("--max-model-len", "4096", "--max-num-seqs", "16", "--max-logprobs", "20"),
    *("--enable-prefix-caching", "--enable-prompt-tokens-details"),
    # Only whole blocks are cached: with the CPU's usual 128, a correction and each look-ahead would
    # read half a block, 64 tokens, again.
    *("--block-size", "32"),
    *("--enable-lora", "--max-lora-rank", "16", "--max-loras", "6"),
    *("--logprobs-mode", "processed_logprobs", "--scheduling-policy", "priority"),
]
ENVIRONMENT = {
    "VLLM_CPU_KVCACHE_SPACE": "2",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
    # A few helpers are compiled even in eager mode: that needs a C++ compiler, and the first
    # request waits for it.
    "TORCH_COMPILE_DISABLE": "1",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
}


def dtype() -> str:
    """bfloat16 where the processor multiplies it fast (AVX-512), else float32."""
    return "bfloat16" if "avx512f" in cpu_flags() else "float32"


def threads() -> int:
    """One core stays for the site: threads that wait for one another on a busy core crawl."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


class Vllm(Part):
    """A vLLM that serves the model in folder ``model`` under ``served_name``."""

    name = "model"
    stop_seconds = 8
    ready_seconds = 600

    def __init__(
        self,
        folder: Path,
        *,
        model: Path,
        served_name: str = SERVED_NAME,
        port: int | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        super().__init__(folder, port=port, env={"OMP_NUM_THREADS": str(threads()), **ENVIRONMENT})
        self.model = model
        self.served_name = served_name
        self.flags = list(flags)

    @property
    def url(self) -> str:
        """The server's address, without `/v1`."""
        return f"http://{LOOPBACK}:{self.port}"

    def command(self) -> list[str]:
        address = ["--host", LOOPBACK, "--port", str(self.port)]
        served = ["--model", str(self.model), "--served-model-name", self.served_name]
        return [
            sys.executable,
            "-m",
            MODULE,
            *served,
            *address,
            "--dtype",
            dtype(),
            *FLAGS,
            *self.flags,
        ]

    def ready(self) -> bool:
        return http_status(f"{self.url}/health") == 200
