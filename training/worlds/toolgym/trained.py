"""The trained policy: cloned from `demonstrations`, sampled, every token counted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import torch
from torch.nn import functional

from stet.traces.steps import Run
from training.worlds.base import Move
from training.worlds.toolgym.demonstrations import Demonstration, demonstrations
from training.worlds.toolgym.model import LENGTH, Model
from training.worlds.toolgym.tokens import CALL, END, INDEX, PAD, SAY, VOCABULARY, Reader

STEPS, BATCH, RATE, CLIP, SHOWN = 1600, 32, 3e-3, 1.0, 10_000
MOST_TOKENS = 8
SOURCES = ("demonstrations", "model", "parts", "rates", "scripted", "tokens", "tools", "world")


@dataclass
class Trained:
    """`training.worlds.base.Policy`. ``read`` and ``written`` count tokens: what each move was made
    from, and what it was."""

    model: Model
    seed: int = 0
    temperature: float = 1.0
    read: int = 0
    written: int = 0
    asked: int = field(default=0, repr=False)

    def act(self, run: Run, note: str | None = None) -> Move:
        return self.act_many([run], [note])[0]

    @torch.inference_mode()
    def act_many(self, runs: Sequence[Run], notes: Sequence[str | None]) -> list[Move]:
        """The next move of each run, sampled together; the same calls in turn give the same."""
        readers = [Reader() for _ in runs]
        for reader, run, note in zip(readers, runs, notes, strict=True):
            reader.begin(run, note)
            reader.ids = reader.ids[: LENGTH - MOST_TOKENS]
        self.read += sum(len(reader.ids) for reader in readers)
        draws = torch.Generator().manual_seed(self.seed * 1_000_003 + self.asked)
        self.asked += 1
        said: list[list[int]] = [[] for _ in runs]
        open_ = list(range(len(runs)))
        while open_:
            rows = [readers[n].ids + said[n] for n in open_]
            hidden = self.model.hidden(_padded(rows))
            last = torch.tensor([len(row) - 1 for row in rows])
            logits = self.model.last(hidden[torch.arange(len(rows)), last]) / self.temperature
            for n, row in zip(open_, logits, strict=True):
                if not said[n]:
                    allowed = torch.full_like(row, -torch.inf)
                    allowed[[INDEX[CALL], INDEX[SAY]]] = 0
                    row = row + allowed
                said[n].append(int(torch.multinomial(row.softmax(-1), 1, generator=draws)))
            open_ = [n for n in open_ if said[n][-1] != INDEX[END] and len(said[n]) < MOST_TOKENS]
        self.written += sum(len(ids) for ids in said)
        moves = []
        for reader, ids in zip(readers, said, strict=True):
            marks = [VOCABULARY[each] for each in ids if each != INDEX[END]]
            moves.append(reader.made(marks, Random(f"{self.seed} {self.asked} {ids}")))
        return moves


def _padded(rows: Sequence[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [INDEX[PAD]] * (longest - len(row)) for row in rows])


def train(seed: int, steps: int = STEPS, shown: int = SHOWN) -> Model:
    """Clone the demonstrations: cross-entropy [nats] over the tokens of moves alone."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model, draw = Model(), Random(seed)
    made = [each for each in demonstrations(seed, shown) if len(each.ids) < LENGTH]
    made.sort(key=lambda each: len(each.ids))
    batches = [made[at : at + BATCH] for at in range(0, len(made), BATCH)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for _step in range(steps):
        loss = _loss(model, draw.choice(batches))
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        schedule.step()
    return model.eval()


def _loss(model: Model, batch: Sequence[Demonstration]) -> torch.Tensor:
    ids = _padded([each.ids for each in batch])
    rows = [each.learned + [False] * (ids.shape[1] - len(each.ids)) for each in batch]
    learned = torch.tensor(rows)[:, 1:]
    hidden = model.hidden(ids[:, :-1])[learned]
    return functional.cross_entropy(model.last(hidden), ids[:, 1:][learned])


def trained(folder: Path, seed: int = 0) -> Model:
    """The model of this seed, trained once for each state of the code that makes it."""
    here = Path(__file__).parent
    texts = [(here / f"{name}.py").read_bytes() for name in (*SOURCES, "trained")]
    path = folder / f"toolgym-{seed}-{hashlib.sha256(b''.join(texts)).hexdigest()[:12]}.pt"
    if path.exists():
        model = Model()
        model.load_state_dict(torch.load(path, weights_only=True))
        return model.eval()
    model = train(seed)
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)
    return model
