"""How a generation failed: kept in the site's own language, told in the reader's."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

Failure = dict[str, Any]

READER_FAILED: Failure = {
    "code": "reader_failed",
    "detail": gettext_noop("The stream could not be read."),
}
OWNER_LOST: Failure = {
    "code": "owner_lost",
    "detail": gettext_noop("The process that read the stream went away."),
}
SEAL_LATE: Failure = {
    "code": "seal_late",
    "detail": gettext_noop("What arrived is kept; load the episode again."),
}


def failure_document(failure: Failure | None) -> Failure | None:
    """What was kept, with its sentence translated; a model server's own words stay as they are."""
    if failure is None or not failure.get("detail"):
        return failure
    return {**failure, "detail": gettext(failure["detail"])}
