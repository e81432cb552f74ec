"""A small causal transformer over `tokens`: pre-norm, learned positions."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.worlds.toolgym.tokens import VOCABULARY

LENGTH = 256


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.middle = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        B, T, width = x.shape
        q, k, v = (
            part.view(B, T, self.heads, width // self.heads).transpose(1, 2)
            for part in self.attend(self.before(x)).chunk(3, dim=-1)
        )
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(B, T, width))
        made: Tensor = x + self.feed(self.middle(x))
        return made


class Model(nn.Module):
    """Ids [B, T] padded at the right -> logits [B, T, V]."""

    def __init__(self, width: int = 64, layers: int = 3, heads: int = 4) -> None:
        super().__init__()
        self.words = nn.Embedding(len(VOCABULARY), width)
        self.places = nn.Embedding(LENGTH, width)
        nn.init.normal_(self.words.weight, std=0.05)
        nn.init.normal_(self.places.weight, std=0.02)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.last = nn.Linear(width, len(VOCABULARY))

    def hidden(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        made: Tensor = self.norm(self.blocks(x))
        return made

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.last(self.hidden(ids))
        return logits
