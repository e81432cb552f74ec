"""Addresses of traces."""

from django.urls import path

from stet.traces.api import episodes, generations, imports, lookahead, segments

api = [
    path("projects/<int:pk>/traces", imports.TracesView.as_view()),
    path("projects/<int:pk>/lookahead", lookahead.ProjectLookahead.as_view()),
    path("ws-tickets", generations.WsTickets.as_view()),
    path("episodes/<int:pk>", episodes.EpisodeDetail.as_view()),
    path("episodes/<int:pk>/messages/<int:index>", episodes.EpisodeMessage.as_view()),
    path("episodes/<int:pk>/continue", episodes.EpisodeContinue.as_view()),
    path("episodes/<int:pk>/corrections", episodes.EpisodeCorrections.as_view()),
    path(
        "episodes/<int:pk>/corrections/<int:correction>/reason",
        episodes.CorrectionReason.as_view(),
    ),
    path("episodes/<int:pk>/head", episodes.EpisodeHead.as_view()),
    path("episodes/<int:pk>/turns", episodes.EpisodeTurns.as_view()),
    path("episodes/<int:pk>/lookahead", lookahead.EpisodeLookahead.as_view()),
    path("episodes/<int:pk>/lookahead/cancel", lookahead.EpisodeLookaheadCancel.as_view()),
    path("episodes/<int:pk>/preview", episodes.EpisodePreview.as_view()),
    path("generations/<uuid:pk>/stop", generations.GenerationStop.as_view()),
    path("generations/<uuid:pk>/events", generations.generation_events),
    path("segments/<uuid:pk>/rows", segments.SegmentRows.as_view()),
    path("segments/<uuid:pk>/candidates", segments.SegmentCandidates.as_view()),
]

pages: list[object] = []
