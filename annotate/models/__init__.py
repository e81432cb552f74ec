"""The rows of people's work, one file per noun."""

from annotate.models.comment import Comment, CommentMention, CommentState
from annotate.models.question import Question
from annotate.models.review import Review
from annotate.models.work import Draft, Lease, Submission

__all__ = [
    "Comment",
    "CommentMention",
    "CommentState",
    "Draft",
    "Lease",
    "Question",
    "Review",
    "Submission",
]
