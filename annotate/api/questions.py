"""/projects/{id}/questions, and drafts of their answers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import services
from annotate.api import schemas
from annotate.documents import question_document
from annotate.models import Question
from annotate.question_form import QuestionBody
from annotate.selectors import draft_of, question_list
from annotate.services.draft import draft_document
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.conditional import etag, if_match
from stet.common.errors import NotFound
from stet.common.idempotency import idempotent
from stet.common.serializers import validated
from stet.projects.selectors import access_project
from stet.traces.api.schemas import EmptyBody
from stet.traces.selectors import access_episode

IF_MATCH = OpenApiParameter("If-Match", location="header", required=True)


class QuestionsView(APIView):
    @extend_schema(operation_id="question_list", responses=schemas.QuestionsOut)
    def get(self, request: Request, pk: int) -> Response:
        """The questions that are asked, in their order."""
        project = access_project(signed_in(request), pk)
        return Response({"results": [question_document(q) for q in question_list(project.pk)]})

    @extend_schema(request=QuestionBody, responses={201: schemas.QuestionOut})
    def post(self, request: Request, pk: int) -> Response:
        """A new question, or the next version of its key; older versions and answers stay."""
        project = access_project(signed_in(request), pk, Role.OWNER)
        fields = validated(QuestionBody, request.data)
        fields["hotkey"] = fields.get("hotkey") or ""

        def effect() -> tuple[int, dict[str, Any]]:
            made = services.question_save(user=request.user, project=project, **fields)
            return 201, question_document(made)

        return idempotent(request, effect, required=False)


class QuestionRetire(APIView):
    @extend_schema(request=EmptyBody, responses=schemas.QuestionOut)
    def post(self, request: Request, pk: int) -> Response:
        """Ask it no more; its answers stay."""
        validated(EmptyBody, request.data or {})
        question = Question.objects.filter(pk=pk).first() if pk < 2**63 else None
        if question is None:
            raise NotFound()
        access_project(signed_in(request), question.project_id, Role.OWNER)

        def effect() -> tuple[int, dict[str, Any]]:
            gone = services.question_retire(user=request.user, question_id=pk)
            return 200, question_document(gone)

        return idempotent(request, effect, required=False)


class EpisodeDraft(APIView):
    @extend_schema(responses=schemas.DraftOut)
    def get(self, request: Request, pk: int) -> Response:
        """Answers that are not handed in yet; version 0 where nothing was saved."""
        episode = access_episode(request.user, pk)
        draft = draft_of(episode.pk)
        return Response(draft_document(draft, episode), headers=etag(draft.version))

    @extend_schema(parameters=[IF_MATCH], request=schemas.DraftBody, responses={204: None})
    def put(self, request: Request, pk: int) -> Response:
        """Save the answers as they are now, and add the time since the last report."""
        access_episode(request.user, pk, act=True)
        version = if_match(request)
        body = validated(schemas.DraftBody, request.data)
        draft = services.draft_save(
            episode_id=pk,
            if_version=version,
            answers=body["answers"],
            active_ms=body.get("active_ms", 0),
            idle_ms=body.get("idle_ms", 0),
        )
        return Response(status=204, headers=etag(draft.version))
