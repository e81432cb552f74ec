"""Made-up but lawful candidates: sorted, distinct, together below one, always the same."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Sequence

K = 20
FLOOR = -9999.0


def candidates(
    key: str, sampled: int, pool: Sequence[int], *, top_k: int = 0
) -> list[tuple[int, float]]:
    """(id, log-probability) in the real server's order: the sampled token, then the others.

    20 entries, or 21 where the sampled token is not among the 20 most likely (about one in
    twenty). With ``top_k`` the sampled token is within it and the rest is cut to FLOOR.
    """
    rng = random.Random(key)
    others = [token_id for token_id in rng.sample(pool, K + 1) if token_id != sampled][:K]
    scores = sorted((-rng.expovariate(0.22) for _ in range(K)), reverse=True)
    rest = rng.uniform(0.001, 0.2)
    total = math.log(sum(map(math.exp, scores))) - math.log(1 - rest)
    values = list(array("f", [score - total for score in scores]))
    luck = rng.random()
    rank = 0 if luck < 0.72 else K if luck > 0.95 else min(int(rng.expovariate(0.5)) + 1, K - 1)
    if 0 < top_k < K:
        rank %= top_k
        values = values[:top_k] + [FLOOR] * (K - top_k)
    if rank == K:
        own = array("f", [values[-1] - 0.1 - rng.random()])[0]
        return [(sampled, own), *zip(others, values, strict=True)]
    own = values.pop(rank)
    return [(sampled, own), *zip(others, values, strict=False)]
