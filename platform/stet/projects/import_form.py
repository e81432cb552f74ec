"""An upload, checked and queued: the same for the API and for the page."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from rest_framework import serializers

from stet.accounts.models import User
from stet.common.models import Job
from stet.common.serializers import StrictSerializer
from stet.projects.files import FORMATS, format_of
from stet.projects.models import Project
from stet.projects.services import import_create
from stet.projects.services.imports import TASKS, TRACES

JSON = (".json", ".json.gz")


class ImportInSerializer(StrictSerializer):
    """``kind=traces`` reads foreign traces, whose format (``format=auto``) is found by looking.

    Left to itself a .json file holds traces, any other tasks.
    """

    file = serializers.FileField(allow_empty_file=True, max_length=400)
    kind = serializers.ChoiceField(choices=["auto", "tasks", "traces"], default="auto")
    format = serializers.CharField(max_length=40, required=False)
    on_conflict = serializers.ChoiceField(choices=["error", "supersede"], default="error")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        file = attrs["file"]
        if not file.size:
            raise serializers.ValidationError(
                {"file": _("The file is empty. Nothing was imported.")}
            )
        if attrs["kind"] == "auto":
            attrs["kind"] = "traces" if file.name.lower().endswith(JSON) else "tasks"
        if attrs["kind"] == "traces":
            attrs.setdefault("format", "auto")
            return attrs
        attrs["format"] = attrs.get("format") or format_of(file.name)
        if attrs["format"] not in FORMATS:
            known = ", ".join(FORMATS)
            raise serializers.ValidationError(
                {"format": _("Known formats are %(known)s.") % {"known": known}}
            )
        return attrs


def import_begin(
    *, project: Project, user: User, file: UploadedFile[Any], kind: str, **params: Any
) -> Job:
    """Keep the checked upload and queue the job of its kind."""
    job = TRACES if kind == "traces" else TASKS
    return import_create(project=project, user=user, upload=file, kind=job, **params)
