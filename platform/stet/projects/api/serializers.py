"""What goes in and out of the API of projects."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from stet.accounts.roles import Role
from stet.common.models import Job
from stet.common.serializers import StrictSerializer
from stet.projects.models import Guideline, Membership, Project, Task
from stet.projects.switches import switches

ROLES = Role.choices
# An imported document is kept whole in the metadata; a list of tasks does not repeat it.
WHOLE = ("panda",)


class SamplingSerializer(StrictSerializer):
    """Sampling that a project asks for; what is left out keeps the sampler's default."""

    temperature = serializers.FloatField(min_value=0, max_value=5, required=False)
    top_p = serializers.FloatField(min_value=0.0001, max_value=1, required=False)
    top_k = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    min_p = serializers.FloatField(min_value=0, max_value=1, required=False)
    max_tokens = serializers.IntegerField(min_value=1, max_value=32_768, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False)


class SwitchesSerializer(StrictSerializer):
    review = serializers.BooleanField(required=False)
    heat = serializers.BooleanField(required=False)
    lookahead = serializers.BooleanField(required=False)
    sampling = SamplingSerializer(required=False)
    reasons = serializers.ListField(
        child=serializers.CharField(max_length=120), max_length=40, required=False
    )
    gold_share = serializers.FloatField(min_value=0, max_value=0.5, required=False)
    skips_to_flag = serializers.IntegerField(min_value=1, max_value=100, required=False)


class ProjectInSerializer(StrictSerializer):
    name = serializers.CharField(max_length=120)
    description = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    settings = SwitchesSerializer(required=False)


class ProjectChangeSerializer(StrictSerializer):
    name = serializers.CharField(max_length=120, required=False)
    description = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    settings = SwitchesSerializer(required=False)
    archived = serializers.BooleanField(required=False)


class ProjectSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    description = serializers.CharField()
    settings = SwitchesSerializer()
    version = serializers.IntegerField()
    role = serializers.ChoiceField(choices=ROLES)
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)


class PersonSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()


class MemberInSerializer(StrictSerializer):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(choices=ROLES)


class MemberChangeSerializer(StrictSerializer):
    role = serializers.ChoiceField(choices=ROLES)


class MemberSerializer(serializers.Serializer[Any]):
    user = PersonSerializer()
    role = serializers.ChoiceField(choices=ROLES)
    since = serializers.DateTimeField()


class GuidelineInSerializer(StrictSerializer):
    text = serializers.CharField(max_length=100_000, trim_whitespace=False)


class GuidelineSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    version = serializers.IntegerField()
    text = serializers.CharField()
    author = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class TaskSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    external_id = serializers.CharField()
    metadata = serializers.DictField()
    overlap = serializers.IntegerField()
    priority = serializers.IntegerField()
    frozen_at = serializers.DateTimeField(allow_null=True)
    retired_at = serializers.DateTimeField(allow_null=True)
    supersedes = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class TaskFullSerializer(TaskSerializer):
    project = serializers.IntegerField()
    messages = serializers.ListField(child=serializers.DictField())
    tools = serializers.ListField(child=serializers.DictField(), allow_null=True)
    reference = serializers.JSONField(allow_null=True)
    checks = serializers.ListField(child=serializers.DictField())
    limits = serializers.DictField()


class TaskInSerializer(serializers.Serializer[Any]):
    """For the schema; rows are checked by the same rules in every way in."""

    messages = serializers.ListField(child=serializers.DictField())
    external_id = serializers.CharField(max_length=200, required=False)
    tools = serializers.ListField(child=serializers.DictField(), required=False, allow_null=True)
    reference = serializers.JSONField(required=False, allow_null=True)
    checks = serializers.ListField(child=serializers.DictField(), required=False)
    limits = serializers.DictField(required=False)
    metadata = serializers.DictField(required=False)
    overlap = serializers.IntegerField(min_value=1, max_value=100, required=False)
    priority = serializers.IntegerField(required=False)


class LineErrorSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()


class BulkSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField()
    same = serializers.IntegerField()
    superseded = serializers.IntegerField()
    failed = serializers.IntegerField()
    tasks = serializers.DictField(child=serializers.IntegerField())
    errors = LineErrorSerializer(many=True)  # type: ignore[assignment]


class JobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    project = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=Job.Status.choices)
    progress = serializers.DictField()
    result = serializers.JSONField(allow_null=True)
    error = serializers.CharField()
    errors_url = serializers.CharField(allow_null=True)
    waiting = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


def project_data(project: Project, role: str) -> dict[str, Any]:
    settings: dict[str, Any] = {**switches(project)}
    if role != Role.OWNER:
        # Whoever knew would look out for the tasks whose answer is known.
        del settings["gold_share"]
    return {
        "id": project.pk,
        "name": project.name,
        "description": project.description,
        "settings": settings,
        "version": project.version,
        "role": role,
        "created_at": project.created_at,
        "archived_at": project.archived_at,
    }


def member_data(row: Membership) -> dict[str, Any]:
    user = row.user
    person = {"id": user.pk, "username": user.username, "name": str(user)}
    return {"user": person, "role": row.role, "since": row.created_at}


def guideline_data(row: Guideline) -> dict[str, Any]:
    return {
        "id": row.pk,
        "version": row.version,
        "text": row.text,
        "author": row.author_id,
        "created_at": row.created_at,
    }


def task_data(task: Task) -> dict[str, Any]:
    return {
        "id": task.pk,
        "external_id": task.external_id,
        "metadata": {name: task.metadata[name] for name in task.metadata if name not in WHOLE},
        "overlap": task.overlap,
        "priority": task.priority,
        "frozen_at": task.frozen_at,
        "retired_at": task.retired_at,
        "supersedes": task.supersedes_id,
        "created_at": task.created_at,
    }


def task_full_data(task: Task) -> dict[str, Any]:
    return {
        **task_data(task),
        "metadata": task.metadata,
        "project": task.project_id,
        "messages": task.messages,
        "tools": task.tools,
        "reference": task.reference,
        "checks": task.checks,
        "limits": task.limits,
    }
