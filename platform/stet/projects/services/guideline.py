"""Guidelines: each change is a further version."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from stet.accounts.models import User
from stet.common.changes import tell_changed
from stet.common.errors import Invalid
from stet.projects.models import Guideline, Project

MAX_TEXT = 100_000


@transaction.atomic
def guideline_create(*, project: Project, user: User, text: str) -> Guideline:
    """The next version of the project's guideline; raises Invalid for no or too much text."""
    if not text.strip() or len(text) > MAX_TEXT or "\x00" in text:
        raise Invalid(
            _("A guideline has 1 to %(max)d characters and no NUL.") % {"max": MAX_TEXT},
            errors=[{"field": "text", "detail": _("1 to %(max)d characters") % {"max": MAX_TEXT}}],
        )
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    last = Guideline.objects.filter(project=project).aggregate(last=Max("version"))["last"] or 0
    tell_changed("guideline", project.pk, last + 1)
    return Guideline.objects.create(project=project, version=last + 1, text=text, author=user)
