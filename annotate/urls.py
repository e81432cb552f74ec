"""The addresses of people's work."""

from __future__ import annotations

from django.urls import URLPattern, path

from annotate.api import comments, lead, questions, signals, steps
from annotate.api import work as rest
from annotate.views import gold as gold_pages
from annotate.views import lead as lead_pages
from annotate.views import project as project_pages
from annotate.views import questions as question_pages
from annotate.views import review as review_pages
from annotate.views import work as work_pages

api: list[URLPattern] = [
    path("projects/<int:pk>/next", rest.ProjectNext.as_view()),
    path("tasks/<int:pk>/episodes", rest.TaskEpisodes.as_view()),
    path("leases/<int:pk>/heartbeat", rest.LeaseHeartbeat.as_view()),
    path("leases/<int:pk>/release", rest.LeaseRelease.as_view()),
    path("episodes/<int:pk>/submit", rest.EpisodeSubmit.as_view()),
    path("episodes/<int:pk>/later", rest.EpisodeSetAside.as_view(how="later")),
    path("episodes/<int:pk>/skip", rest.EpisodeSetAside.as_view(how="skip")),
    path("episodes/<int:pk>/flag", rest.EpisodeSetAside.as_view(how="flag")),
    path("episodes/<int:pk>/reopen", rest.EpisodeReopen.as_view()),
    path("episodes/<int:pk>/accept", rest.EpisodeAccept.as_view()),
    path("episodes/<int:pk>/return", rest.EpisodeReturn.as_view()),
    path("episodes/<int:pk>/draft", questions.EpisodeDraft.as_view()),
    path("projects/<int:pk>/questions", questions.QuestionsView.as_view()),
    path("questions/<int:pk>/retire", questions.QuestionRetire.as_view()),
    path("projects/<int:pk>/comments", comments.CommentsView.as_view()),
    path("comments/<int:pk>/resolve", comments.CommentStateView.as_view(resolved=True)),
    path("comments/<int:pk>/reopen", comments.CommentStateView.as_view(resolved=False)),
    path("projects/<int:pk>/gold", lead.ProjectGold.as_view()),
    path("projects/<int:pk>/gold/scores", lead.ProjectGoldScores.as_view()),
    path("tasks/<int:pk>/gold", lead.TaskGold.as_view()),
    path("tasks/<int:pk>/put-back", lead.TaskDecision.as_view(how="put_back")),
    path("tasks/<int:pk>/retire", lead.TaskDecision.as_view(how="retire")),
    path("episodes/<int:pk>/steps", steps.EpisodeSteps.as_view()),
    path("episodes/<int:pk>/steps/<int:number>", steps.EpisodeStep.as_view()),
    path("signals", signals.SignalsView.as_view()),
    path("signals/<int:pk>/reviews", signals.SignalReviews.as_view()),
    path("me/mentions", comments.Mentions.as_view()),
]
pages: list[URLPattern] = [
    path("projects/new/", project_pages.project_new, name="project-new"),
    path("projects/<int:pk>/next/", work_pages.task_next, name="next"),
    path("episodes/<int:pk>/", work_pages.episode_detail, name="episode"),
    path("work/", work_pages.work_list, name="work"),
    path("projects/<int:pk>/progress/", lead_pages.progress, name="progress"),
    path("projects/<int:pk>/queue/", lead_pages.queue, name="queue"),
    path(
        "projects/<int:pk>/queue/leases/<int:lease_id>/",
        lead_pages.lease_release,
        name="lease-release",
    ),
    path(
        "projects/<int:pk>/queue/tasks/<int:task_id>/", lead_pages.task_decide, name="task-decide"
    ),
    path("projects/<int:pk>/questions/", question_pages.questions, name="questions"),
    path(
        "projects/<int:pk>/questions/<slug:key>/", question_pages.question_act, name="question-act"
    ),
    path("projects/<int:pk>/gold/", gold_pages.gold, name="gold"),
    path("projects/<int:pk>/gold/mark/", gold_pages.gold_mark, name="gold-mark"),
    path("projects/<int:pk>/review/", review_pages.review_index, name="review"),
    path("projects/<int:pk>/review/next/", review_pages.review_open_next, name="review-next"),
]
