"""Background work: the outbox, and jobs that a row owns by lease, heartbeat and fencing token."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import current_app, shared_task
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from stet.common.errors import Conflict, StetError
from stet.common.models import IdempotencyKey, Job, Outbox

LEASE = timedelta(seconds=20)
MAX_TRIES = 3
CHANNEL = "stet_outbox"
log = logging.getLogger(__name__)
Worker = Callable[["Claim"], dict[str, Any]]
_workers: dict[str, Worker] = {}


class Fenced(Conflict):
    """Another worker took the job over; this one must stop."""

    code, title = "fenced", gettext_lazy("Another worker owns this job now")


def enqueue(name: str, **kwargs: object) -> None:
    """Run the task ``name`` after this transaction: a row in the outbox, sent by the relay."""
    Outbox.objects.create(job=current_app.tasks[name].name, kwargs=kwargs)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])


def worker(kind: str) -> Callable[[Worker], Worker]:
    """Register the function that does jobs of ``kind``."""

    def register(function: Worker) -> Worker:
        _workers[kind] = function
        return function

    return register


@transaction.atomic
def job_create(*, kind: str, params: dict[str, Any], user: Any, project_id: int | None) -> Job:
    """Queue a job; its message leaves with the commit. It speaks the language of this request."""
    params = {**params, "language": get_language()}
    job = Job.objects.create(kind=kind, params=params, created_by=user, project_id=project_id)
    enqueue("stet.job_run", job_id=job.pk)
    return job


class Claim:
    """The right to work on a job, as long as the fencing token is the newest."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.fence = job.fence

    def progress(self, **values: Any) -> None:
        """Extend the lease and show how far the work is; raises Fenced when it was taken over."""
        mine = Job.objects.filter(pk=self.job.pk, fence=self.fence, status=Job.Status.RUNNING)
        fields: dict[str, Any] = {"lease_until": Now() + LEASE}
        if values:
            self.job.progress = {**self.job.progress, **values}
            fields["progress"] = self.job.progress
        if not mine.update(**fields):
            raise Fenced(
                _("Job %(job)d was taken over; its work goes on elsewhere.") % {"job": self.job.pk}
            )


def job_claim(job_id: int) -> Claim | None:
    """Take the job if nobody holds it; the database's clock decides."""
    free = Q(status=Job.Status.QUEUED) | Q(status=Job.Status.RUNNING, lease_until__lt=Now())
    taken = Job.objects.filter(free, pk=job_id).update(
        status=Job.Status.RUNNING,
        fence=F("fence") + 1,
        tries=F("tries") + 1,
        lease_until=Now() + LEASE,
        started_at=Now(),
    )
    return Claim(Job.objects.get(pk=job_id)) if taken else None


def job_finish(claim: Claim, **fields: Any) -> None:
    """Write the end of the job, unless the token is stale."""
    done = Job.objects.filter(pk=claim.job.pk, fence=claim.fence, status=Job.Status.RUNNING)
    if not done.update(ended_at=Now(), lease_until=None, **fields):
        raise Fenced(
            _("Job %(job)d was taken over; this result is dropped.") % {"job": claim.job.pk}
        )


@shared_task(name="stet.job_run")  # type: ignore[untyped-decorator]
def job_run(job_id: int) -> None:
    """Do a job once. A second delivery finds it taken and does nothing."""
    claim = job_claim(job_id)
    if claim is None:
        return
    if claim.job.tries > MAX_TRIES:
        job_finish(claim, status=Job.Status.FAILED, error=f"gave up after {MAX_TRIES} tries")
        return
    with override(claim.job.params.get("language") or settings.LANGUAGE_CODE):
        _work(claim)


def _work(claim: Claim) -> None:
    try:
        result = _workers[claim.job.kind](claim)
    except Fenced:
        raise
    except StetError as error:
        job_finish(claim, status=Job.Status.FAILED, error=error.detail, result=error.problem())
    except Exception:
        log.exception("job %s failed", claim.job.pk)
        job_finish(claim, status=Job.Status.FAILED, error=traceback.format_exc(limit=3)[-2000:])
    else:
        job_finish(claim, status=Job.Status.DONE, result=result)


def jobs_wake() -> int:
    """Send every job again whose worker went away; returns how many."""
    lost = Q(status=Job.Status.RUNNING, lease_until__lt=Now())
    forgotten = Q(status=Job.Status.QUEUED, created_at__lt=Now() - timedelta(minutes=1))
    ids = list(Job.objects.filter(lost | forgotten).values_list("pk", flat=True)[:100])
    for pk in ids:
        current_app.send_task("stet.job_run", kwargs={"job_id": pk})
    return len(ids)


def outbox_send(limit: int = 100) -> int:
    """Send waiting rows and remove them; two relays never send the same row at once."""
    with transaction.atomic():
        rows = list(Outbox.objects.select_for_update(skip_locked=True).order_by("pk")[:limit])
        for row in rows:
            current_app.send_task(row.job, kwargs=row.kwargs)
        Outbox.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def keys_expire() -> int:
    """Forget idempotency keys after seven days."""
    old = IdempotencyKey.objects.filter(created_at__lt=Now() - timedelta(days=7))
    return old.delete()[0]
