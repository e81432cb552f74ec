"""What is read of people's work, one file per noun."""

from annotate.selectors.comments import access_comment, comment_list, mention_list
from annotate.selectors.progress import progress_of
from annotate.selectors.questions import draft_of, question_list
from annotate.selectors.queue import (
    access_lease,
    correction_counts,
    frees_in,
    gold_take,
    own_work,
    running,
    task_take,
    unfinished,
)

__all__ = [
    "access_comment",
    "access_lease",
    "comment_list",
    "correction_counts",
    "draft_of",
    "frees_in",
    "gold_take",
    "mention_list",
    "own_work",
    "progress_of",
    "question_list",
    "running",
    "task_take",
    "unfinished",
]
