"""Three steps of TRL on an exported shard, run as a program: says which tokens had a gradient.

``python trl_steps.py sft|dpo SHARD TOKENIZER_FOLDER OUT`` writes ``{"steps", "losses", "trained"}``
to OUT: ``trained`` lists, for each row of each batch, the ids of the whole sequence and the ids
whose prediction received a gradient.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import datasets
import torch
import transformers
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

STEPS = 3


class IdsDpo(DPOTrainer):
    """Takes rows of ids as they are: the trainer would only know how to make them from text."""

    def _prepare_dataset(
        self, dataset: Any, processing_class: Any, args: Any, dataset_name: str
    ) -> Any:
        if {"prompt_ids", "chosen_ids", "rejected_ids"} <= set(dataset.column_names):
            return dataset
        return super()._prepare_dataset(dataset, processing_class, args, dataset_name)


def model_of(vocab: int) -> Any:
    """Two layers of 32, with the real vocabulary."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=vocab,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=2048,
        bos_token_id=1,
        eos_token_id=2,
    )
    return transformers.LlamaForCausalLM(config)


def main(kind: str, shard: str, tokenizer_dir: str, out: str) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_dir)
    rows = datasets.load_dataset("json", data_files=shard, split="train")
    model = model_of(len(tokenizer))
    trained: list[dict[str, list[int]]] = []
    batch: dict[str, Any] = {}

    def remember(module: Any, args: Any, kwargs: Any) -> None:
        batch["ids"], batch["mask"] = kwargs["input_ids"], kwargs["attention_mask"]

    def watch(module: Any, args: Any, states: Any) -> None:
        ids, mask = batch["ids"], batch["mask"]
        if states.requires_grad:
            states.register_hook(lambda grad: note(ids, mask, grad))

    def note(ids: Any, mask: Any, grad: Any) -> None:
        felt = grad.abs().sum(-1) > 0
        for row in range(ids.shape[0]):
            length = int(mask[row].sum())
            own = ids[row, :length].tolist()
            told = [own[i + 1] for i in range(length - 1) if felt[row, i]]
            beyond = int(felt[row, length - 1 :].sum())
            trained.append({"ids": own, "trained": told, "beyond": [beyond]})

    # The states that the head turns into logits: the trainers fuse the head with the loss, and a
    # position's last state has a gradient exactly if its prediction has a loss.
    model.model.register_forward_pre_hook(remember, with_kwargs=True)
    model.model.norm.register_forward_hook(watch)
    common: dict[str, Any] = {
        "output_dir": str(Path(out).parent / "run"),
        "max_steps": STEPS,
        "per_device_train_batch_size": 2,
        "learning_rate": 1e-3,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": [],
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "disable_tqdm": True,
    }
    if kind == "sft":
        trainer: Any = SFTTrainer(
            model=model,
            args=SFTConfig(**common, max_length=None),
            train_dataset=rows,
            processing_class=tokenizer,
        )
    else:
        trainer = IdsDpo(
            model=model,
            ref_model=model_of(len(tokenizer)),
            args=DPOConfig(**common, max_length=None),
            train_dataset=rows,
            processing_class=tokenizer,
        )
    trainer.train()
    losses = [log["loss"] for log in trainer.state.log_history if "loss" in log]
    told = {"steps": trainer.state.global_step, "losses": losses, "trained": trained}
    Path(out).write_text(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
