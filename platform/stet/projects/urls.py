"""The addresses of projects."""

from __future__ import annotations

from django.urls import URLPattern, path

from stet.projects.api.guidelines import GuidelinesView
from stet.projects.api.imports import ImportsView, JobErrorsView, JobView
from stet.projects.api.members import MembersView, MemberView
from stet.projects.api.projects import ProjectsView, ProjectView
from stet.projects.api.tasks import TasksView, TaskView
from stet.projects.views import pages as views
from stet.projects.views import settings

api: list[URLPattern] = [
    path("projects", ProjectsView.as_view()),
    path("projects/<int:pk>", ProjectView.as_view()),
    path("projects/<int:pk>/members", MembersView.as_view()),
    path("projects/<int:pk>/members/<int:user_id>", MemberView.as_view()),
    path("projects/<int:pk>/guidelines", GuidelinesView.as_view()),
    path("projects/<int:pk>/tasks", TasksView.as_view()),
    path("projects/<int:pk>/imports", ImportsView.as_view()),
    path("tasks/<int:pk>", TaskView.as_view()),
    path("jobs/<int:pk>", JobView.as_view()),
    path("jobs/<int:pk>/errors.jsonl", JobErrorsView.as_view()),
]
pages: list[URLPattern] = [
    path("", views.project_index, name="projects"),
    path("projects/<int:pk>/tasks/", views.task_index, name="tasks"),
    path("projects/<int:pk>/settings/switches/", settings.switches_save, name="switches-save"),
    path("projects/<int:pk>/", views.project_detail, name="project"),
    path("projects/<int:pk>/import/", views.project_import, name="import"),
    path("projects/<int:pk>/settings/", settings.project_settings, name="project-settings"),
    path("projects/<int:pk>/settings/member/", settings.member_save, name="member-save"),
    path("projects/<int:pk>/settings/guideline/", settings.guideline_save, name="guideline-save"),
    path("jobs/<int:pk>/", views.job_detail, name="job"),
]
