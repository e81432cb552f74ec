"""The Celery application. A message is only a wake-up; the row in PostgreSQL owns the work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stet.settings")

app = Celery("stet")
app.config_from_object("django.conf:settings", namespace="CELERY")
