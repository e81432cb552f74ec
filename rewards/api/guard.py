"""/guard: asking about a call, and the rules that answer."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rewards import services
from rewards.guard.rules import Rule, Trigger
from rewards.jobs import MINE
from rewards.models import GuardRule, GuardState
from rewards.selectors import ABNORMAL, access_rule, rule_list
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.idempotency import idempotent
from stet.common.jobs import job_create
from stet.common.pages import PARAMETERS, page, paged, whole_number
from stet.common.serializers import StrictSerializer, validated
from stet.projects.api.serializers import JobSerializer
from stet.projects.job_view import job_data
from stet.projects.selectors import access_project
from stet.traces.steps import Call

BIG = 2**63 - 1


class CallBody(StrictSerializer):
    name = serializers.CharField(max_length=200)
    arguments = serializers.JSONField(required=False, allow_null=True)
    result = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, trim_whitespace=False
    )


class CheckBody(StrictSerializer):
    project = serializers.IntegerField(min_value=1, max_value=BIG)
    instruction = serializers.CharField(allow_blank=True, trim_whitespace=False)
    history = serializers.ListField(child=CallBody(), required=False, max_length=1000)
    call = CallBody()


class GuardDecisionOut(serializers.Serializer[Any]):
    decision = serializers.ChoiceField(choices=["allow", "warn", "ask", "block"])
    rules = serializers.ListField(child=serializers.IntegerField())
    message = serializers.CharField()
    alternative = serializers.CharField()
    shadow = serializers.ListField(
        child=serializers.IntegerField(), help_text="rules that only watch and would have spoken"
    )


class WordsField(serializers.ListField):
    child = serializers.CharField(max_length=80)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=200, **kwargs)


class TriggerBody(StrictSerializer):
    any = WordsField(help_text="one of these is in the instruction; none given: whatever it says")
    none = WordsField(help_text="none of these is")


class RuleBody(StrictSerializer):
    project = serializers.IntegerField(min_value=1, max_value=BIG)
    key = serializers.SlugField(max_length=80)
    pattern = serializers.ListField(
        child=serializers.RegexField(r"^[\w.]+=.{0,200}$"), min_length=1, max_length=10
    )
    trigger = TriggerBody(required=False)
    action = serializers.ChoiceField(choices=GuardRule.Action.values, required=False)


class RuleOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    project = serializers.IntegerField()
    key = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.ChoiceField(choices=GuardState.State.values)
    pattern = serializers.ListField(child=serializers.CharField())
    trigger = serializers.DictField()
    action = serializers.CharField()
    family = serializers.CharField()
    figures = serializers.DictField()
    provenance = serializers.ListField(child=serializers.CharField())
    met = serializers.IntegerField(help_text="how many calls it was met by since it watches")


class MineBody(StrictSerializer):
    project = serializers.IntegerField(min_value=1, max_value=BIG)
    source = serializers.CharField(  # type: ignore[assignment]
        required=False, max_length=80, help_text=f"whose signals of calls name types; {ABNORMAL}"
    )


def rule_document(row: GuardRule) -> dict[str, Any]:
    return {
        "id": row.pk,
        "project": row.project_id,
        "key": row.key,
        "version": row.version,
        "state": getattr(row, "state", None),
        "pattern": row.pattern,
        "trigger": {"any": row.any_words, "none": row.no_words},
        "action": row.action,
        "family": row.family,
        "figures": row.figures,
        "provenance": row.provenance,
        "met": getattr(row, "met", 0),
    }


class GuardCheck(APIView):
    @extend_schema(request=CheckBody, responses=GuardDecisionOut)
    def post(self, request: Request) -> Response:
        """May this call be made? Asked before each call, by any member's program."""
        user = signed_in(request)
        body = validated(CheckBody, request.data)
        project = access_project(user, body["project"])
        history = [_call(at, one) for at, one in enumerate(body.get("history") or ())]
        decided, watched = services.guard_check(
            project_id=project.pk,
            instruction=body["instruction"],
            history=history,
            call=_call(len(history), body["call"]),
        )
        return Response(
            {
                "decision": decided.decision,
                "rules": [int(one) for one in decided.rules],
                "message": decided.message,
                "alternative": decided.alternative,
                "shadow": [int(one) for one in watched.rules],
            }
        )


class GuardRules(APIView):
    @extend_schema(
        operation_id="guard_rule_list",
        parameters=[*PARAMETERS, OpenApiParameter("project", OpenApiTypes.INT, required=True)],
        responses=paged("GuardRule", RuleOut),
    )
    def get(self, request: Request) -> Response:
        """The newest version of each rule of a project."""
        named = whole_number("project", request.query_params.get("project", ""))
        project = access_project(signed_in(request), named, Role.RESEARCHER)
        return Response(page(request, rule_list(project.pk), rule_document))

    @extend_schema(request=RuleBody, responses={201: RuleOut})
    def post(self, request: Request) -> Response:
        """Write a rule by hand, or a new version of one; it begins by watching only."""
        user = signed_in(request)
        body = validated(RuleBody, request.data)
        project = access_project(user, body["project"], Role.RESEARCHER)
        words = body.get("trigger") or {}
        trigger = Trigger(*(frozenset(words.get(name) or ()) for name in ("any", "none")))
        action = body.get("action", "block")
        rule = Rule(body["key"], frozenset(body["pattern"]), trigger, action)

        def effect() -> tuple[int, dict[str, Any]]:
            row = services.rule_add(project=project, user=user, rule=rule, figures={})
            return 201, rule_document(rule_list(project.pk).get(pk=row.pk))

        return idempotent(request, effect, required=False)


class GuardRuleMove(APIView):
    """Promoting a rule, and retiring it."""

    state = ""

    @extend_schema(request=None, responses=RuleOut)
    def post(self, request: Request, pk: int) -> Response:
        """Let a rule decide from now on (through the gate), or let it rest."""
        user = signed_in(request)
        rule = access_rule(user, pk)

        def effect() -> tuple[int, dict[str, Any]]:
            services.rule_move(user=user, rule=rule, state=self.state)
            return 200, rule_document(rule_list(rule.project_id).get(pk=rule.pk))

        return idempotent(request, effect, required=False)


class GuardMine(APIView):
    @extend_schema(request=MineBody, responses={202: JobSerializer})
    def post(self, request: Request) -> Response:
        """Mine rules from the project's labelled runs in the background."""
        user = signed_in(request)
        body = validated(MineBody, request.data)
        project = access_project(user, body["project"], Role.RESEARCHER)

        def effect() -> tuple[int, dict[str, Any]]:
            params = {"source": body.get("source", ABNORMAL)}
            job = job_create(kind=MINE, params=params, user=user, project_id=project.pk)
            return 202, job_data(job)

        return idempotent(request, effect, required=False)


def _call(ordinal: int, body: dict[str, Any]) -> Call:
    written = body.get("arguments")
    if isinstance(written, str):
        try:
            parsed = json.loads(written)
        except (ValueError, RecursionError):
            parsed = None
        arguments = parsed if isinstance(parsed, dict) else None
        return Call(ordinal, body["name"], arguments, written, body.get("result"))
    arguments = written if isinstance(written, dict) else {} if written is None else None
    return Call(ordinal, body["name"], arguments, "", body.get("result"))
