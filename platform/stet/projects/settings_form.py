"""The forms of a project: what it is called, and its switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from stet.common.errors import Invalid
from stet.common.serializers import StrictSerializer, validated
from stet.projects.models import Project
from stet.projects.switches import switches

ON_OFF = ("review", "heat", "lookahead", "jump")


class NewProject(StrictSerializer):
    name = serializers.CharField(max_length=120)
    description = serializers.CharField(max_length=4000, allow_blank=True)


class Numbers(StrictSerializer):
    """``gold_percent`` as people say it; half of the work is the most."""

    gold_percent = serializers.FloatField(min_value=0, max_value=50)
    skips_to_flag = serializers.IntegerField(min_value=1, max_value=100)


def switches_of(form: Mapping[str, str]) -> dict[str, Any]:
    """The switches as the form has them: a box that is not ticked is off."""
    given = {name: form.get(name, "") for name in ("gold_percent", "skips_to_flag")}
    numbers = validated(Numbers, given)
    reasons = [line.strip() for line in form.get("reasons", "").splitlines() if line.strip()]
    if len(reasons) > 40 or any(len(reason) > 120 for reason in reasons):
        text = _("At most 40 reasons, each of at most 120 characters.")
        raise Invalid(text, errors=[{"field": "reasons", "detail": text}])
    return {
        **{name: name in form for name in ON_OFF},
        "gold_share": numbers["gold_percent"] / 100,
        "skips_to_flag": numbers["skips_to_flag"],
        "reasons": reasons,
    }


def switch_rows(project: Project) -> dict[str, Any]:
    """What the form shows."""
    now: dict[str, Any] = {**switches(project)}
    texts = {
        "review": (_("Review"), _("A submission waits until a reviewer accepts or returns it.")),
        "heat": (_("Heat"), _("Improbable tokens are underlined; this can sway who reads.")),
        "lookahead": (
            _("Look-ahead"),
            _("The next few tokens behind the leading candidates are shown before one is taken."),
        ),
        "jump": (
            _("Jump to unsure tokens"),
            _("Keys lead to the tokens that the model was unsure of; this can sway who reads."),
        ),
    }
    return {
        "on_off": [
            {"name": name, "label": texts[name][0], "hint": texts[name][1], "on": now[name]}
            for name in ON_OFF
            if name in now
        ],
        "gold_percent": round(100 * now["gold_share"], 2),
        "skips_to_flag": now["skips_to_flag"],
        "reasons": "\n".join(now["reasons"]),
    }
