"""Which policy a project samples from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import Conflict
from stet.policies.models import Activation, PolicyVersion


class NoPolicy(Conflict):
    code, title = "no_policy_active", gettext_lazy("This project has no policy to sample from")


@lru_cache(maxsize=256)
def policy_version(pk: int) -> PolicyVersion:
    """A policy version by its key; the rows never change, so each is read once a process."""
    return PolicyVersion.objects.get(pk=pk)


def policy_of(project_id: int) -> PolicyVersion:
    """The active policy version of a project: the latest activation counts."""
    rows = Activation.objects.filter(project_id=project_id).select_related("policy")
    latest = rows.order_by("-pk").first()
    if latest is None:
        raise NoPolicy(_("An owner must activate a policy version first."))
    policy: PolicyVersion = latest.policy
    return policy


def model_folder(project_id: int) -> Path:
    """Where the tokenizer of a project lies: its policy's, else the one served here."""
    rows = Activation.objects.filter(project_id=project_id).select_related("policy")
    latest = rows.order_by("-pk").first()
    return Path(latest.policy.tokenizer_dir if latest else settings.TOKENIZER_DIR)
