"""What the targets make of branches, turns, cut heads and shared answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.projects.models import Project
from stet.traces.models import CorrectionReason, Episode, Origin
from tests.conftest import member
from tests.training.factories import EOS, Tree, ids_of
from tests.training.helpers import loaded, rows_of
from training.messages import messages_of
from training.targets.base import Broken, target_get

pytestmark = pytest.mark.django_db


def said(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def two_turns(grow: Callable[..., Tree]) -> Tree:
    """A wrong beginning of turn one, a wrong end of turn two, both corrected."""
    tree = grow("Name a colour.")
    wrong = tree.sample([*ids_of("Blew."), EOS])
    tree.correct(wrong, 0, ids_of("Blue"), how="type")
    tree.sample([*ids_of("."), EOS])
    tree.turn("Another?")
    wrong = tree.sample([*ids_of("Red or so"), EOS])
    tree.correct(wrong, 1, [EOS], how="end_here")
    return tree


def test_messages_are_cut_from_the_ids(grow: Callable[..., Tree]) -> None:
    (one,) = loaded(two_turns(grow).submit())
    assert said(messages_of(one, one.path)) == [
        ("user", "Name a colour."),
        ("assistant", "Blue."),
        ("user", "Another?"),
        ("assistant", "Red"),
    ]


def test_sft_labels_every_answer_and_nothing_else(grow: Callable[..., Tree]) -> None:
    (row,), _ = rows_of("sft", two_turns(grow).submit())
    trained = [label for label in row["labels"] if label != -100]
    assert trained == [*ids_of("Blue"), *ids_of("."), EOS, *ids_of("Red"), EOS]


def test_dpo_pairs_the_answers_of_the_turn_that_differs(grow: Callable[..., Tree]) -> None:
    rows, _ = rows_of("dpo", two_turns(grow).submit())
    first, second = rows
    assert said(first["prompt"]) == [("user", "Name a colour.")]
    assert (said(first["chosen"]), said(first["rejected"])) == (
        [("assistant", "Blue.")],
        [("assistant", "Blew.")],
    )
    assert second["prompt_ids"][: len(first["prompt_ids"])] == first["prompt_ids"]
    assert said(second["prompt"])[1:] == [("assistant", "Blue."), ("user", "Another?")]
    assert (second["chosen_ids"], second["divergence"]) == ([*ids_of("Red"), EOS], 1)
    assert said(second["rejected"]) == [("assistant", "Red or so")]
    assert [row["correction"] is not None for row in rows] == [True, True]


def test_dpo_says_the_same_once_and_keeps_unfinished_ones_marked(
    grow: Callable[..., Tree],
) -> None:
    tree = grow()
    root = tree.root
    for _ in range(2):
        tree.move(root, root.length)
        tree.sample(ids_of("6 is what"))
    tree.move(root, root.length)
    tree.sample([*ids_of("5"), EOS])
    submission = tree.submit()
    rows, excluded = rows_of("dpo", submission)
    assert excluded == ["same_rejected"]
    assert [row["rejected_finished"] for row in rows] == [False]
    assert rows[0]["rejected_ids"] == ids_of("6 is what")
    _, strict = rows_of("dpo", submission, rejected="finished")
    assert strict == ["rejected_unfinished"] * 2


def test_a_branch_that_only_goes_on_or_stops_short_is_no_pair(grow: Callable[..., Tree]) -> None:
    tree = grow()
    answer = tree.sample([*ids_of("5"), EOS])
    tree.turn("Sure?")
    tree.sample([*ids_of("Yes"), EOS])
    tree.move(answer, answer.length)
    rows, excluded = rows_of("dpo", tree.submit())
    assert (rows, excluded) == ([], ["no_divergence"])


def test_a_head_inside_a_segment_is_where_the_row_ends(grow: Callable[..., Tree]) -> None:
    tree = grow()
    answer = tree.sample([*ids_of("5 and more"), EOS])
    tree.move(answer, 1)
    submission = tree.submit()
    assert rows_of("sft", submission) == ([], ["unfinished"])
    (row,), _ = rows_of("sft", submission, finished="any")
    assert row["input_ids"][-1] == row["labels"][-1] == ids_of("5")[0]
    assert not row["finished"]
    (rollout,), _ = rows_of("rollouts", submission)
    assert rollout["finish_reason"] == "cut"


def test_without_an_answer_there_is_no_row(grow: Callable[..., Tree]) -> None:
    submission = grow().submit()
    for target in ("sft", "dpo", "rollouts", "token-corrections", "panda"):
        assert rows_of(target, submission) == ([], ["no_answer"])


def test_foreign_text_is_refused(grow: Callable[..., Tree]) -> None:
    tree = grow()
    Episode.objects.filter(pk=tree.episode.pk).update(policy=None)
    submission = tree.submit()
    submission.episode.policy = None
    submission.episode.save()
    for target in ("sft", "rollouts"):
        assert rows_of(target, submission) == ([], ["foreign"])


def test_rollouts_carry_what_sampled_them(grow: Callable[..., Tree]) -> None:
    tree = grow(reference="5")
    wrong = tree.sample([*ids_of("6"), EOS])
    tree.correct(wrong, 0, ids_of("5"))
    hot = {"temperature": 0.7, "top_p": 0.9}
    tree.sample([EOS], sampling=hot)
    (row,), _ = rows_of("rollouts", tree.submit())
    assert row["completion_logprobs"] == [-2.5, -0.5]
    assert row["temperatures"] == [None, pytest.approx(0.7)]
    assert row["sampling"]["top_p"] == 0.9
    assert row["ratio_exact"] is False
    assert row["weight_versions"] == [{"version": f"{tree.policy.name}@1", "start": 1, "end": 2}]
    assert (row["finish_reason"], row["stop_reason"]) == ("stop", None)
    assert row["rewards"]["exact"] == row["reward"] == 1.0
    assert row["rewards"].keys() >= {"exact", "length"}
    assert len(row["annotator_ids_hash"]) == 16


def test_rollouts_without_checks_have_no_reward(grow: Callable[..., Tree]) -> None:
    tree = grow()
    tree.sample([*ids_of("5"), EOS])
    (row,), _ = rows_of("rollouts", tree.submit())
    assert set(row["rewards"].values()) == {None}
    assert row["reward"] is None
    assert row["ratio_exact"] is True


def test_a_token_of_the_tree_has_loss_in_one_row(grow: Callable[..., Tree]) -> None:
    tree = grow()
    wrong = tree.sample([*ids_of("One two three"), EOS])
    again = tree.correct(wrong, 1, ids_of(" too"))
    later = tree.sample([*ids_of(" many words"), EOS])
    tree.correct(later, 1, ids_of(" things"))
    tree.sample([EOS])
    rows, _ = rows_of("rollouts", tree.submit(), branches="all")
    assert [row["accepted"] for row in rows] == [True, False, False]
    assert {row["parent_sample_id"] for row in rows[1:]} == {rows[0]["sample_id"]}
    lost = [
        [i for i, mask in zip(row["completion_token_ids"], row["loss_mask"], strict=True) if mask]
        for row in rows
    ]
    assert lost[0] == rows[0]["completion_token_ids"]
    assert lost[1] == [*ids_of("One two three"), EOS][1:]
    assert lost[2] == [*ids_of(" many words"), EOS][1:]
    assert again.accepted[0] in rows[2]["completion_token_ids"]


def test_tokens_chosen_after_reading_stay_out_of_ratios(grow: Callable[..., Tree]) -> None:
    tree = grow()
    tree.sample(ids_of("5"), seen=True)
    tree.sample([EOS])
    (row,), _ = rows_of("rollouts", tree.submit())
    assert row["rl_weights"] == [0.0, 1.0]
    assert row["ratio_exact"] is False
    broken = {**row, "rl_weights": [1.0, 1.0]}
    with pytest.raises(Broken, match="ratio_on_seen"):
        target_get("rollouts").validate(broken)


def test_a_group_of_one_can_be_left_out(grow: Callable[..., Tree]) -> None:
    tree = grow()
    wrong = tree.sample([*ids_of("6"), EOS])
    tree.correct(wrong, 0, ids_of("5"))
    tree.sample([EOS])
    submission = tree.submit()
    assert rows_of("rollouts", submission, group="two") == ([], ["group_of_one"])
    assert len(rows_of("rollouts", submission, group="two", branches="all")[0]) == 2


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("completion_logprobs", [-1.0], "lengths_differ"),
        ("completion_logprobs", [-1.0, None], "logprob"),
        ("rl_weights", [1.0, 1.0], "ratio_on_other_origin"),
        ("origin", [Origin.FOREIGN, Origin.MODEL], "foreign"),
        ("finish_reason", "length", "end_differs"),
        ("eos_token_ids", [0], "end_differs"),
        ("weight_versions", [], "version_span"),
        ("ce_weights", [1.0, 1.0], "two_losses"),
    ],
)
def test_broken_rollouts_are_refused(
    grow: Callable[..., Tree], column: str, value: Any, reason: str
) -> None:
    tree = grow()
    wrong = tree.sample([*ids_of("6"), EOS])
    tree.correct(wrong, 0, ids_of("5"))
    tree.sample([EOS])
    (row,), _ = rows_of("rollouts", tree.submit())
    with pytest.raises(Broken, match=reason):
        target_get("rollouts").validate({**row, column: value})


def test_corrections_tell_the_choice_and_the_latest_reason(
    grow: Callable[..., Tree], annotator: User
) -> None:
    tree = grow()
    wrong = tree.sample([*ids_of("six or seven"), EOS], others=ids_of("5"))
    undone = tree.correct(wrong, 1, ids_of("5"))
    tree.move(wrong, 2)
    kept = tree.correct(wrong, 0, ids_of("5"))
    tree.sample([EOS])
    for reason in ("style", "wrong sum"):
        CorrectionReason.objects.create(correction=kept, reason=reason, author=annotator)
    submission = tree.submit()
    (row,), excluded = rows_of("token-corrections", submission)
    assert excluded == ["undone"]
    assert (row["correction"], row["reason"], row["rank"]) == (kept.pk, "wrong sum", 1)
    assert row["candidate_ids"][:2] == [ids_of("six or seven")[0], *ids_of("5")]
    assert row["accepted_logprobs"] == [-2.5]
    assert row["rejected_logprobs"] == [-0.5]
    rows, _ = rows_of("token-corrections", submission, undone="keep")
    assert [row["kept"] for row in rows] == [False, True]
    assert rows[0]["correction"] == undone.pk
    assert rows[0]["prefix_ids"][-1] == ids_of("six or seven")[0]


def test_what_others_did_with_a_shared_answer_is_not_mine(
    grow: Callable[..., Tree], project: Project
) -> None:
    mine = grow()
    first = mine.sample([*ids_of("6"), EOS])
    other = Episode.objects.create(
        task=mine.task,
        author=member(project, "other", Role.ANNOTATOR),
        policy=mine.policy,
        head_segment=mine.root,
        head_length=mine.root.length,
    )
    mine.correct(first, 0, ids_of("5"))
    mine.sample([EOS])
    submission = mine.submit()
    mine.episode = other
    mine.move(mine.root, mine.root.length)
    mine.sample([*ids_of("7"), EOS])
    rows, _ = rows_of("dpo", submission)
    assert [row["rejected_ids"] for row in rows] == [[*ids_of("6"), EOS]]
