"""Tokens that were read before the pick: trained on as text, never in a ratio."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stet.traces.models import Segment
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import rows_of
from training.targets.base import Broken, target_get

pytestmark = pytest.mark.django_db
READ = ids_of(" is the sum")


@pytest.fixture
def picked(grow: Callable[..., Tree]) -> Tree:
    """A pick that was taken with its look-ahead, and how the answer went on."""
    tree = grow()
    wrong = tree.sample([*ids_of("6"), EOS], others=[*ids_of("5"), 101])
    tree.correct(wrong, 0, ids_of("5"))
    tree.sample(READ, finish="stopped", seen=True, others=[*ids_of(" my"), 101])
    tree.sample([*ids_of("."), EOS])
    return tree


def test_rollouts_keep_them_out_of_the_ratio_and_say_why(picked: Tree) -> None:
    (row,), _ = rows_of("rollouts", picked.submit())
    assert row["completion_token_ids"] == [*ids_of("5"), *READ, *ids_of("."), EOS]
    assert row["seen_before_pick"] == [0, *([1] * len(READ)), 0, 0]
    assert row["rl_weights"] == [0.0, *([0.0] * len(READ)), 1.0, 1.0]
    assert row["ce_weights"] == [1.0, *([0.0] * len(READ)), 0.0, 0.0]
    assert row["origin"] == [2, *([1] * len(READ)), 1, 1]
    assert None not in row["completion_logprobs"]
    assert (row["ratio_exact"], row["ratio_inexact"]) == (False, ["seen_before_pick"])
    for broken in ({"ratio_exact": True}, {"ratio_inexact": []}):
        with pytest.raises(Broken, match="ratio_"):
            target_get("rollouts").validate({**row, **broken})


def test_other_reasons_are_told_beside_it(grow: Callable[..., Tree]) -> None:
    tree = grow()
    tree.sample(ids_of("5"), seen=True, sampling={"temperature": 0.7, "top_p": 0.9})
    tree.sample([EOS])
    (row,), _ = rows_of("rollouts", tree.submit())
    assert row["ratio_inexact"] == ["sampling", "seen_before_pick"]


def test_sft_trains_on_them(picked: Tree) -> None:
    (row,), _ = rows_of("sft", picked.submit())
    trained = [label for label in row["labels"] if label != -100]
    assert trained == [*ids_of("5"), *READ, *ids_of("."), EOS]


def test_a_preference_has_them_on_the_chosen_side(picked: Tree) -> None:
    (row,), _ = rows_of("dpo", picked.submit())
    assert row["chosen_ids"] == [*ids_of("5"), *READ, *ids_of("."), EOS]
    assert row["rejected_ids"] == [*ids_of("6"), EOS]


def test_a_token_correction_is_the_pick_alone(picked: Tree) -> None:
    (row,), _ = rows_of("token-corrections", picked.submit())
    assert (row["accepted_ids"], row["rejected_ids"]) == (ids_of("5"), ids_of("6"))


def test_they_are_corrected_like_any_sampled_token(picked: Tree) -> None:
    seen = Segment.objects.get(episode=picked.episode, seen_before_pick=True)
    picked.correct(seen, 1, ids_of(" my"))
    picked.sample([EOS])
    rows, _ = rows_of("token-corrections", picked.submit())
    assert [row["rejected_ids"] for row in rows] == [ids_of("6"), [READ[1]]]
    assert rows[1]["candidate_ids"][0] == READ[1]
    (row,), _ = rows_of("rollouts", picked.submit())
    assert row["completion_token_ids"] == [*ids_of("5"), READ[0], *ids_of(" my"), EOS]
    assert row["rl_weights"] == [0.0, 0.0, 0.0, 1.0]
