"""What people's work writes: leases, and the end of an episode."""

from annotate.services.acts import (
    episode_accept,
    episode_reopen,
    episode_return,
    episode_set_aside,
    episode_submit,
)
from annotate.services.comment import comment_create, comment_state
from annotate.services.draft import draft_save
from annotate.services.flags import task_put_back, task_retire
from annotate.services.gold import gold_set, gold_unset
from annotate.services.project import project_begin
from annotate.services.question import question_move, question_retire, question_save
from annotate.services.queue import lease_extend, lease_release, task_begin, task_next
from annotate.services.review import signal_review

__all__ = [
    "comment_create",
    "comment_state",
    "draft_save",
    "episode_accept",
    "episode_reopen",
    "episode_return",
    "episode_set_aside",
    "episode_submit",
    "gold_set",
    "gold_unset",
    "lease_extend",
    "lease_release",
    "project_begin",
    "question_move",
    "question_retire",
    "question_save",
    "signal_review",
    "task_begin",
    "task_next",
    "task_put_back",
    "task_retire",
]
