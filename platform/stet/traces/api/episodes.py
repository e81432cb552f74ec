"""Episodes over REST: the tree, the path, and a person's acts on them."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

import orjson
from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.common.errors import Invalid, NotFound
from stet.common.idempotency import idempotent
from stet.common.serializers import validated
from stet.policies.clusters import TextRows
from stet.policies.tokenizer import load_tokenizer
from stet.traces import documents, selectors, services
from stet.traces.api import schemas
from stet.traces.models import Correction, Episode, Generation


class EpisodeDetail(APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("view", enum=["tree", "path"], default="tree"),
            OpenApiParameter(
                "segment",
                OpenApiTypes.UUID,
                description="with view=path: the path of this segment, not of the head",
            ),
            OpenApiParameter("task", enum=["whole", "brief"], default="whole"),
        ],
        responses=PolymorphicProxySerializer(
            component_name="EpisodeView",
            serializers=[schemas.EpisodeOut, schemas.PathOut],
            resource_type_field_name=None,
        ),
    )
    def get(self, request: Request, pk: int) -> Response:
        """The tree of an episode, or with ``view=path`` the accepted path.

        ``task=brief`` leaves out the task's messages, which may be large.
        """
        episode = selectors.access_episode(request.user, pk)
        view = request.query_params.get("view", "tree")
        if view not in {"tree", "path"}:
            raise Invalid(_("view is “tree” or “path”."), code="bad_view")
        other = request.query_params.get("segment")
        if view == "path":
            path = selectors.own_path(episode, other) if other else None
            body = documents.path_document(episode, path)
        else:
            brief = request.query_params.get("task") == "brief"
            body = documents.episode_document(episode, brief=brief)
        return Response(body, headers={"ETag": f'"{episode.version}"'})


class EpisodeMessage(APIView):
    @extend_schema(responses={(200, "application/json"): bytes})
    def get(self, request: Request, pk: int, index: int) -> HttpResponse:
        """One message of the task as it was received, as a file."""
        episode = selectors.access_episode(request.user, pk)
        messages = episode.task.messages
        if index >= len(messages):
            raise NotFound(_("The task has no such message."))
        name = f"message-{pk}-{index}.json"
        return HttpResponse(
            orjson.dumps(messages[index], option=orjson.OPT_INDENT_2),
            content_type="application/json",
            headers={
                "Content-Disposition": f'attachment; filename="{name}"',
                "X-Content-Type-Options": "nosniff",
            },
        )


class EpisodeContinue(APIView):
    @extend_schema(request=schemas.ContinueBody, responses={202: schemas.ContinueOut})
    def post(self, request: Request, pk: int) -> Response:
        """Sample on from the head."""
        body = validated(schemas.ContinueBody, request.data)
        _other_policy(body, selectors.access_episode(request.user, pk, act=True))

        def effect() -> tuple[int, dict[str, Any]]:
            episode, generation = services.continue_from_head(
                user=request.user,
                episode_id=pk,
                if_head=body["if_head"],
                sampling=body.get("sampling"),
            )
            return 202, {
                "episode": documents.episode_summary(episode, generation),
                "generation": documents.generation_document(generation),
                "segment": str(generation.segment_id),
            }

        return idempotent(request, effect)


def _other_policy(body: dict[str, Any], episode: Episode) -> None:
    if body.get("policy") not in {None, episode.policy_id}:
        raise Invalid(_("An episode stays on the policy it began with."), code="other_policy")


class EpisodeCorrections(APIView):
    @extend_schema(request=schemas.CorrectionBody, responses={201: schemas.CorrectionOut})
    def post(self, request: Request, pk: int) -> Response:
        """Replace what stands at (segment, index) and continue; the segment may be live."""
        body = validated(schemas.CorrectionBody, request.data)
        episode = selectors.access_episode(request.user, pk, act=True)
        tokenizer = load_tokenizer(Folder(episode.policy.tokenizer_dir)) if episode.policy else None

        claim = _claim(body.get("lookahead"))

        def check(running: Generation) -> None:
            services.correction_check(
                episode=episode,
                running=running,
                segment_id=body["segment"],
                index=body["index"],
                choice=body["choice"],
                seen=body.get("seen"),
                claim=claim,
            )

        services.settle(episode=episode, if_head=body["if_head"], check=check)

        def effect() -> tuple[int, dict[str, Any]]:
            made = services.correction_make(
                user=request.user,
                episode_id=pk,
                if_head=body["if_head"],
                segment_id=body["segment"],
                index=body["index"],
                choice=body["choice"],
                reason=body.get("reason", ""),
                seen=body.get("seen"),
                active_ms=body.get("active_ms"),
                go_on=body["continue"],
                claim=claim,
            )
            reason = body.get("reason", "")
            return 201, {
                "correction": documents.correction_document(made.correction, tokenizer, reason),
                "episode": documents.episode_summary(made.episode, made.generation),
                "generation": documents.generation_document(made.generation),
                "lookahead": made.ahead
                and documents.head_document((made.ahead.pk, made.ahead.length)),
            }

        return idempotent(request, effect)


def _claim(given: dict[str, Any] | None) -> services.Claim | None:
    return services.Claim(given["generation"], tuple(given["ids"])) if given else None


class CorrectionReason(APIView):
    @extend_schema(request=schemas.ReasonBody, responses={201: schemas.ReasonBody})
    def post(self, request: Request, pk: int, correction: int) -> Response:
        """Say why, after the fact."""
        body = validated(schemas.ReasonBody, request.data)
        selectors.access_episode(request.user, pk, act=True)
        row = Correction.objects.filter(pk=correction, episode_id=pk).first()
        if row is None:
            raise NotFound(_("This episode has no such correction."))

        def effect() -> tuple[int, dict[str, Any]]:
            services.correction_reason(user=request.user, correction=row, reason=body["reason"])
            return 201, {"reason": body["reason"]}

        return idempotent(request, effect)


class EpisodeHead(APIView):
    @extend_schema(request=schemas.HeadBody, responses=schemas.EpisodeActOut)
    def post(self, request: Request, pk: int) -> Response:
        """Undo, redo or another branch: the head moves, nothing is deleted."""
        body = validated(schemas.HeadBody, request.data)
        episode = selectors.access_episode(request.user, pk, act=True)
        target = {"segment_id": body["segment"], "length": body["length"], "how": body["how"]}

        def check(running: Generation) -> None:
            services.head_check(episode=episode, running=running, **target)

        services.settle(episode=episode, if_head=body["if_head"], check=check)

        def effect() -> tuple[int, dict[str, Any]]:
            moved = services.head_move(
                user=request.user, episode_id=pk, if_head=body["if_head"], **target
            )
            return 200, {"episode": documents.episode_summary(moved)}

        return idempotent(request, effect)


class EpisodeTurns(APIView):
    @extend_schema(request=schemas.TurnBody, responses={201: schemas.EpisodeActOut})
    def post(self, request: Request, pk: int) -> Response:
        """A further user or tool turn behind the answer."""
        body = validated(schemas.TurnBody, request.data)
        episode = selectors.access_episode(request.user, pk, act=True)
        messages = [dict(message) for message in body["messages"]]

        def check(running: Generation) -> None:
            services.turn_check(episode=episode, messages=messages)

        services.settle(episode=episode, if_head=body["if_head"], check=check)

        def effect() -> tuple[int, dict[str, Any]]:
            moved = services.turn_add(
                user=request.user, episode_id=pk, if_head=body["if_head"], messages=messages
            )
            return 201, {"episode": documents.episode_summary(moved)}

        return idempotent(request, effect)


class EpisodePreview(APIView):
    @extend_schema(request=schemas.PreviewBody, responses=schemas.PreviewOut)
    def post(self, request: Request, pk: int) -> Response:
        """The tokens that typed text would become; nothing is written."""
        body = validated(schemas.PreviewBody, request.data)
        episode = selectors.access_episode(request.user, pk)
        if not body["text"]:
            return Response({"ids": [], "rows": [], "canonical": True, "position": None})
        typed = services.preview(
            episode=episode, segment_id=body["segment"], index=body["index"], text=body["text"]
        )
        assert episode.policy is not None
        rows = TextRows(load_tokenizer(Folder(episode.policy.tokenizer_dir))).feed(typed.ids)
        return Response(
            {
                "ids": list(typed.ids),
                "rows": [[row[0], row[1], None, *([row[2]] if row[2] else [])] for row in rows],
                "canonical": typed.canonical,
                "position": typed.position,
            }
        )
