"""/projects/{id}/comments and the comments that name a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import services
from annotate.api import schemas
from annotate.documents import comment_document
from annotate.models import Comment
from annotate.selectors import access_comment, comment_list, mention_list
from annotate.selectors.comments import is_reviewer
from stet.accounts.models import User
from stet.accounts.selectors import signed_in
from stet.common.idempotency import idempotent
from stet.common.pages import PARAMETERS, page, paged, whole_number
from stet.common.serializers import validated
from stet.projects.selectors import access_project
from stet.traces.api.schemas import EmptyBody

MOST = 200


class CommentsView(APIView):
    @extend_schema(
        operation_id="comment_list",
        parameters=[
            *PARAMETERS,
            OpenApiParameter("episode", OpenApiTypes.INT),
            OpenApiParameter("task", OpenApiTypes.INT),
        ],
        responses=paged("Comment", schemas.CommentOut),
    )
    def get(self, request: Request, pk: int) -> Response:
        """Comments that the person may see, oldest first."""
        user = signed_in(request)
        project = access_project(user, pk)
        rows = comment_list(user, project.pk)
        for name in ("episode", "task"):
            if name in request.query_params:
                rows = rows.filter(**{name: whole_number(name, request.query_params[name])})
        body = page(request, rows, lambda row: {"row": row})
        shown = [each["row"] for each in body["results"]]
        return Response({**body, "results": comments_out(shown, user, project.pk)})

    @extend_schema(request=schemas.CommentBody, responses={201: schemas.CommentOut})
    def post(self, request: Request, pk: int) -> Response:
        """Say something of a task, a step or tokens; `@name` of a member is a mention."""
        user = signed_in(request)
        project = access_project(user, pk)
        body = validated(schemas.CommentBody, request.data)

        def effect() -> tuple[int, dict[str, Any]]:
            comment = services.comment_create(
                user=user,
                project=project,
                task_id=body["task"],
                episode_id=body.get("episode"),
                anchor=body["anchor"],
                body=body["body"],
                parent_id=body.get("parent"),
            )
            made = comment_list(user, project.pk).filter(pk=comment.pk)
            return 201, comments_out(made, user, project.pk)[0]

        return idempotent(request, effect)


class CommentStateView(APIView):
    """Resolving a thread, and opening it again."""

    resolved = True

    @extend_schema(request=EmptyBody, responses=schemas.CommentOut)
    def post(self, request: Request, pk: int) -> Response:
        """Say that a thread is settled, or that it is not."""
        user = signed_in(request)
        validated(EmptyBody, request.data or {})
        comment = access_comment(user, pk)

        def effect() -> tuple[int, dict[str, Any]]:
            services.comment_state(user=user, comment=comment, resolved=self.resolved)
            now = access_comment(user, pk)
            return 200, comments_out([now], user, now.project_id)[0]

        return idempotent(request, effect, required=False)


class Mentions(APIView):
    @extend_schema(operation_id="mention_list", responses=schemas.MentionsOut)
    def get(self, request: Request) -> Response:
        """The newest comments that name me, unresolved first."""
        user = signed_in(request)
        rows = list(mention_list(user)[:MOST])
        return Response({"results": comments_out(rows, user)})


def comments_out(
    rows: Iterable[Comment], user: User, project_id: int | None = None
) -> list[dict[str, Any]]:
    rows = list(rows)
    projects = {row.project_id for row in rows} if project_id is None else {project_id}
    reviews = {each: is_reviewer(user, each) for each in projects}
    resolvers = {getattr(row, "resolver", None) for row in rows} - {None}
    people = User.objects.in_bulk(resolvers) if resolvers else {}
    return [comment_document(row, user, reviews[row.project_id], people) for row in rows]
