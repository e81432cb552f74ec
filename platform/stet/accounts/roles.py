"""The roles of a project, each of which may what the ones before it may."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("annotator")
    REVIEWER = "reviewer", _("reviewer")
    RESEARCHER = "researcher", _("researcher")
    OWNER = "owner", _("owner")

    def at_least(self) -> list[Role]:
        """This role and every one above it."""
        order = list(Role)
        return order[order.index(self) :]
