"""The queue and the end of episodes over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import selectors, services
from annotate.api.schemas import (
    AsideBody,
    EpisodeCreateOut,
    LeaseOut,
    NextOut,
    ReturnBody,
    SubmitBody,
)
from annotate.models import Lease
from stet.accounts.roles import Role
from stet.accounts.selectors import signed_in
from stet.common.errors import NotFound
from stet.common.idempotency import idempotent
from stet.common.serializers import validated
from stet.projects.selectors import access_project, access_task
from stet.traces import documents
from stet.traces.api.schemas import BeginBody, EmptyBody, EpisodeActOut, IfHead
from stet.traces.models import Generation
from stet.traces.selectors import access_episode
from stet.traces.services import generation_stop, settle

EMPTY_QUEUE_SECONDS = 30


def lease_document(lease: Lease) -> dict[str, Any]:
    return {
        "id": lease.pk,
        "task": lease.task_id,
        "expires_at": lease.expires_at,
        "released_at": lease.released_at,
    }


class ProjectNext(APIView):
    @extend_schema(
        request=EmptyBody,
        responses={200: NextOut, 204: OpenApiResponse(description="nothing is left")},
    )
    def post(self, request: Request, pk: int) -> Response:
        """The next task, held by a lease; returned work comes first."""
        validated(EmptyBody, request.data or {})
        project = access_project(signed_in(request), pk)
        work = services.task_next(user=request.user, project=project)
        if work is None:
            seconds = selectors.frees_in(request.user, project) or EMPTY_QUEUE_SECONDS
            return Response(status=204, headers={"Retry-After": str(seconds)})
        episode = documents.episode_document(work.episode)
        return Response(
            {"lease": lease_document(work.lease), "task": episode["task"], "episode": episode}
        )


class TaskEpisodes(APIView):
    @extend_schema(request=BeginBody, responses={201: EpisodeCreateOut})
    def post(self, request: Request, pk: int) -> Response:
        """Begin an episode with its prompt segment, besides the queue (researchers, owners)."""
        body = validated(BeginBody, request.data or {})
        task = access_task(signed_in(request), pk, Role.RESEARCHER)

        def effect() -> tuple[int, dict[str, Any]]:
            episode = services.task_begin(
                user=request.user, task=task, sampling=body.get("sampling")
            )
            return 201, {"episode": documents.episode_document(episode)}

        return idempotent(request, effect, required=False)


class LeaseHeartbeat(APIView):
    @extend_schema(request=EmptyBody, responses=LeaseOut)
    def post(self, request: Request, pk: int) -> Response:
        """Keep the lease."""
        lease = selectors.access_lease(request.user, pk)
        if lease.annotator_id != request.user.pk:
            raise NotFound()
        lease = services.lease_extend(lease)
        return Response(lease_document(lease))


class LeaseRelease(APIView):
    @extend_schema(request=EmptyBody, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Give the task back to the queue: one's own, or as an owner of the project anybody's."""
        lease = selectors.access_lease(request.user, pk)
        services.lease_release(lease, request.user)
        for generation in selectors.running(lease):
            generation_stop(generation, status=Generation.Status.ABANDONED)
        return Response(status=204)


class EpisodeSubmit(APIView):
    @extend_schema(request=SubmitBody, responses=EpisodeActOut)
    def post(self, request: Request, pk: int) -> Response:
        """Hand in the head as it stands."""
        body = validated(SubmitBody, request.data)
        access_episode(request.user, pk, act=True)

        def effect() -> tuple[int, dict[str, Any]]:
            submission = services.episode_submit(
                user=request.user,
                episode_id=pk,
                if_head=body["if_head"],
                answers=body.get("answers", {}),
                guideline=body.get("guideline"),
                active_ms=body.get("active_ms", 0),
                idle_ms=body.get("idle_ms", 0),
            )
            return 200, {
                "submission": submission.pk,
                "episode": documents.episode_summary(submission.episode),
            }

        return idempotent(request, effect)


class EpisodeSetAside(APIView):
    """Later, skip and flag are three acts; the last two need a reason."""

    how = "later"

    @extend_schema(request=AsideBody, responses=EpisodeActOut)
    def post(self, request: Request, pk: int) -> Response:
        """Set the episode aside: for later, for others (skip), or out of the queue (flag)."""
        body = validated(IfHead if self.how == "later" else AsideBody, request.data)
        episode = access_episode(request.user, pk, act=True)
        settle(episode=episode, if_head=body["if_head"])

        def effect() -> tuple[int, dict[str, Any]]:
            aside = services.episode_set_aside(
                user=request.user,
                episode_id=pk,
                if_head=body["if_head"],
                how=self.how,
                reason=body.get("reason", ""),
            )
            return 200, {"episode": documents.episode_summary(aside)}

        return idempotent(request, effect)


class EpisodeReopen(APIView):
    @extend_schema(request=IfHead, responses=EpisodeActOut)
    def post(self, request: Request, pk: int) -> Response:
        """Go on with one's own closed work."""
        body = validated(IfHead, request.data)
        access_episode(request.user, pk, act=True)

        def effect() -> tuple[int, dict[str, Any]]:
            episode = services.episode_reopen(
                user=request.user, episode_id=pk, if_head=body["if_head"]
            )
            return 200, {"episode": documents.episode_summary(episode)}

        return idempotent(request, effect)


class EpisodeAccept(APIView):
    @extend_schema(request=IfHead, responses=EpisodeActOut)
    def post(self, request: Request, pk: int) -> Response:
        """A reviewer lets a submission stand."""
        body = validated(IfHead, request.data)
        episode = access_episode(request.user, pk)
        access_project(signed_in(request), episode.task.project_id, Role.REVIEWER)

        def effect() -> tuple[int, dict[str, Any]]:
            accepted = services.episode_accept(
                user=request.user, episode_id=pk, if_head=body["if_head"]
            )
            return 200, {"episode": documents.episode_summary(accepted)}

        return idempotent(request, effect)


class EpisodeReturn(APIView):
    @extend_schema(request=ReturnBody, responses=EpisodeActOut)
    def post(self, request: Request, pk: int) -> Response:
        """A reviewer sends a submission back with a comment."""
        body = validated(ReturnBody, request.data)
        episode = access_episode(request.user, pk)
        access_project(signed_in(request), episode.task.project_id, Role.REVIEWER)

        def effect() -> tuple[int, dict[str, Any]]:
            returned = services.episode_return(
                user=request.user,
                episode_id=pk,
                if_head=body["if_head"],
                comment=body["comment"],
            )
            return 200, {"episode": documents.episode_summary(returned)}

        return idempotent(request, effect)
