"""What owners decide about tasks: known answers, flagged tasks."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import services
from annotate.selectors.gold import gold_scores, gold_tasks
from annotate.services.gold import UNSAID
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import NotFound
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import StrictSerializer, validated
from stet.projects.models import Task
from stet.projects.selectors import access_project, access_task
from stet.traces.api.schemas import EmptyBody
from stet.traces.models import Episode


class FaultBody(StrictSerializer):
    position = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    quote = serializers.CharField(required=False, trim_whitespace=False, max_length=2000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError(_("Give exactly one of position or quote."))
        return attrs


class GoldBody(StrictSerializer):
    episode = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    fault = FaultBody(required=False, allow_null=True)
    answers = serializers.DictField(required=False)


class GoldOut(serializers.Serializer[Any]):
    task = serializers.IntegerField()
    title = serializers.CharField()
    fault = serializers.DictField(allow_null=True)
    answers = serializers.DictField()
    policy = serializers.IntegerField()
    episode = serializers.IntegerField()


class PersonScoreOut(serializers.Serializer[Any]):
    person = serializers.DictField()
    n = serializers.IntegerField()
    faulty = serializers.IntegerField()
    detection = serializers.FloatField(allow_null=True)
    exact = serializers.FloatField(allow_null=True)
    near = serializers.FloatField(allow_null=True)
    sentence = serializers.FloatField(allow_null=True)
    answers = serializers.FloatField(allow_null=True)


class DecisionOut(serializers.Serializer[Any]):
    task = serializers.IntegerField()
    flagged_at = serializers.DateTimeField(allow_null=True)
    retired_at = serializers.DateTimeField(allow_null=True)


class ScoresOut(serializers.Serializer[Any]):
    results = PersonScoreOut(many=True)


class ProjectGold(APIView):
    @extend_schema(
        operation_id="gold_list", parameters=PARAMETERS, responses=paged("Gold", GoldOut)
    )
    def get(self, request: Request, pk: int) -> Response:
        """Tasks whose right answer is known (owners)."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        return Response(page(request, gold_tasks(project), gold_document))


class ProjectGoldScores(APIView):
    @extend_schema(operation_id="gold_scores", responses=ScoresOut)
    def get(self, request: Request, pk: int) -> Response:
        """How each person did on them (owners)."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        return Response({"results": [score.document() for score in gold_scores(project)]})


class TaskGold(APIView):
    @extend_schema(request=GoldBody, responses=GoldOut)
    def put(self, request: Request, pk: int) -> Response:
        """Mark the task by what is right of its first answer; what is not said is what was
        handed in for the episode (the latest one unless another is named)."""
        task = access_task(signed_in(request), pk, Role.OWNER)
        body = validated(GoldBody, request.data)
        episode = None
        if "episode" in body:
            episode = Episode.objects.filter(pk=body["episode"], task=task).first()
            if episode is None:
                raise NotFound(_("There is no such episode of this task."))
        marked = services.gold_set(
            user=request.user,
            task=task,
            episode=episode,
            fault=body.get("fault", UNSAID),
            answers=body.get("answers"),
        )
        return Response(gold_document(marked))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """An ordinary task again."""
        services.gold_unset(task=access_task(signed_in(request), pk, Role.OWNER))
        return Response(status=204)


class TaskDecision(APIView):
    """Put a flagged task back into the queue, or take it out for good."""

    how = "put_back"

    @extend_schema(request=EmptyBody, responses=DecisionOut)
    def post(self, request: Request, pk: int) -> Response:
        """What the owner decides about a task that was flagged or skipped."""
        task = access_task(signed_in(request), pk, Role.OWNER)
        validated(EmptyBody, request.data or {})

        def effect() -> tuple[int, dict[str, Any]]:
            decide = services.task_put_back if self.how == "put_back" else services.task_retire
            decide(task=task)
            task.refresh_from_db()
            return 200, {
                "task": task.pk,
                "flagged_at": task.flagged_at,
                "retired_at": task.retired_at,
            }

        return idempotent(request, effect, required=False)


def gold_document(task: Task) -> dict[str, Any]:
    gold = task.gold or {}
    return {
        "task": task.pk,
        "title": str(task),
        "fault": gold["fault"],
        "answers": gold["answers"],
        "policy": gold["policy"],
        "episode": gold["episode"],
    }
