"""The golden rule: of a one-token answer exactly the answer and its end carry loss.

Each target is looked at as its consumer does, after the consumer's own shift.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import rows_of

FIVE = ids_of("5")
pytestmark = pytest.mark.django_db


def shifted(ids: list[int], carries: list[bool]) -> list[int]:
    """What a causal model is trained to predict: position i of the logits predicts i + 1."""
    return [ids[i + 1] for i in range(len(ids) - 1) if carries[i + 1]]


def corrected(grow: Callable[..., Tree]) -> Tree:
    """The model says 6 and ends; a person picks 5; the model ends."""
    tree = grow()
    wrong = tree.sample([*ids_of("6"), EOS], others=FIVE)
    tree.correct(wrong, 0, FIVE)
    tree.sample([EOS])
    return tree


def test_sft_labels_after_the_shift(grow: Callable[..., Tree]) -> None:
    rows, _ = rows_of("sft", corrected(grow).submit())
    assert shifted(rows[0]["input_ids"], [i != -100 for i in rows[0]["labels"]]) == [*FIVE, EOS]
    assert rows[0]["input_ids"][-1] == EOS


def test_dpo_completions_after_the_shift(grow: Callable[..., Tree]) -> None:
    rows, _ = rows_of("dpo", corrected(grow).submit())
    row = rows[0]
    for side, answer in (("chosen_ids", FIVE), ("rejected_ids", ids_of("6"))):
        ids = row["prompt_ids"] + row[side]
        mask = [False] * len(row["prompt_ids"]) + [True] * len(row[side])
        assert shifted(ids, mask) == [*answer, EOS]
    assert row["divergence"] == 0


def test_rollouts_give_the_pick_to_cross_entropy_and_the_end_to_the_ratio(
    grow: Callable[..., Tree],
) -> None:
    rows, _ = rows_of("rollouts", corrected(grow).submit())
    row = rows[0]
    ids = row["prompt_token_ids"] + row["completion_token_ids"]
    context = [False] * len(row["prompt_token_ids"])
    loss = [bool(mask) for mask in row["loss_mask"]]
    assert shifted(ids, context + loss) == [*FIVE, EOS]
    ratio = [bool(m and w) for m, w in zip(row["loss_mask"], row["rl_weights"], strict=True)]
    assert shifted(ids, context + ratio) == [EOS]
    entropy = [bool(m and w) for m, w in zip(row["loss_mask"], row["ce_weights"], strict=True)]
    assert shifted(ids, context + entropy) == FIVE


def test_token_corrections_replace_one_token_by_one(grow: Callable[..., Tree]) -> None:
    tree = corrected(grow)
    rows, _ = rows_of("token-corrections", tree.submit())
    row = rows[0]
    assert row["prefix_ids"] == list(memoryview(bytes(tree.root.ids)).cast("i"))
    assert (row["rejected_ids"], row["accepted_ids"]) == (ids_of("6"), FIVE)
    ids = row["prefix_ids"] + row["accepted_ids"]
    assert shifted(ids, [i >= row["position"] for i in range(len(ids))]) == FIVE
