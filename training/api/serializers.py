"""What datasets and exports take and give."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from stet.common.serializers import StrictSerializer


class QuerySerializer(StrictSerializer):
    """Which submissions count. The default is every accepted one, the latest of each episode."""

    status = serializers.ChoiceField(choices=["accepted", "submitted"], required=False)
    tasks = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=10_000,
        help_text="external ids",
    )
    policies = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, max_length=1000
    )
    metadata = serializers.DictField(required=False, help_text="what a task's metadata contains")
    gold = serializers.BooleanField(
        required=False, help_text="also tasks whose right answer is known; else they are left out"
    )
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "since" in attrs and "until" in attrs and attrs["since"] >= attrs["until"]:
            raise serializers.ValidationError({"until": _("This is not after “since”.")})
        for name in ("since", "until"):
            if name in attrs:
                attrs[name] = attrs[name].isoformat()
        return attrs


class DatasetInSerializer(StrictSerializer):
    project = serializers.IntegerField(min_value=1)
    name = serializers.CharField(max_length=120)
    query = QuerySerializer(required=False)


class DatasetSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    project = serializers.IntegerField()
    name = serializers.CharField()
    query = serializers.DictField()
    created_at = serializers.DateTimeField()


class ExportInSerializer(StrictSerializer):
    """``watermark`` repeats an earlier moment; without it the export freezes now."""

    target = serializers.CharField(max_length=40)
    options = serializers.DictField(required=False)
    watermark = serializers.DateTimeField(required=False)


class FileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    url = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    rows = serializers.IntegerField()
    sha256 = serializers.CharField()


class ExportSerializer(serializers.Serializer[Any]):
    """``note`` says in one line why an export is empty."""

    id = serializers.IntegerField()
    dataset = serializers.IntegerField()
    project = serializers.IntegerField()
    target = serializers.CharField()
    options = serializers.DictField()
    watermark = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=["queued", "running", "done", "failed"])
    job = serializers.IntegerField(allow_null=True)
    done = serializers.IntegerField(help_text="submissions looked at")
    total = serializers.IntegerField(allow_null=True)
    submissions = serializers.IntegerField(allow_null=True)
    rows = serializers.IntegerField(allow_null=True)
    excluded = serializers.DictField(child=serializers.IntegerField())
    note = serializers.CharField()
    error = serializers.CharField()
    sha256 = serializers.CharField(allow_null=True)
    manifest_url = serializers.CharField(allow_null=True)
    files = FileSerializer(many=True)
    created_at = serializers.DateTimeField()


class ExportMadeSerializer(serializers.Serializer[Any]):
    export = ExportSerializer()
    job = serializers.IntegerField()


class TargetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    version = serializers.CharField()
    options = serializers.DictField(help_text="values by option, the default first")
    columns = serializers.DictField(help_text="Arrow types by column")
