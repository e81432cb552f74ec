"""What is written of datasets and exports."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stet.common.errors import Invalid, StetError
from stet.common.jobs import Claim, job_create
from stet.projects.models import Project
from training import durable
from training.build import Build
from training.models import Dataset, Export, ExportFile
from training.selection import watermark_now
from training.targets.base import options_of, target_get

KIND = "export"


class NoRoom(StetError):
    code, status, title = "no_room", 507, gettext_lazy("The files could not be written")


@transaction.atomic
def dataset_create(*, project: Project, user: Any, name: str, query: dict[str, Any]) -> Dataset:
    """Keep a query; what it holds is decided by each export's watermark."""
    return Dataset.objects.create(project=project, name=name, query=query, author=user)


@transaction.atomic
def project_export(*, project: Project, user: Any, target: str) -> Export:
    """Freeze everything accepted in a project, as the page's form asks for it."""
    everything = Dataset.objects.filter(project=project, query={}).order_by("pk").first()
    dataset = everything or dataset_create(
        project=project, user=user, name=_("Everything accepted"), query={}
    )
    return export_create(dataset=dataset, user=user, target=target)


@transaction.atomic
def export_create(
    *,
    dataset: Dataset,
    user: Any,
    target: str,
    options: dict[str, Any] | None = None,
    watermark: datetime | None = None,
) -> Export:
    """Freeze a moment and queue the work; an earlier moment repeats an earlier export."""
    found = target_get(target)
    chosen = options_of(found, options or {})
    now = watermark_now()
    if watermark is not None and watermark > now:
        raise Invalid(
            _("The watermark lies in the future. Nothing was changed."),
            code="bad_watermark",
            errors=[
                {
                    "field": "watermark",
                    "detail": _("The latest one is %(moment)s.") % {"moment": now.isoformat()},
                }
            ],
        )
    export = Export.objects.create(
        dataset=dataset,
        target=found.name,
        options=chosen,
        watermark=watermark or now,
        author=user,
    )
    export.job = job_create(
        kind=KIND, params={"export": export.pk}, user=user, project_id=dataset.project_id
    )
    export.save(update_fields=["job"])
    return export


def exports_folder() -> Path:
    return Path(settings.DATA_DIR) / "exports"


def export_folder(export: Export) -> Path:
    return exports_folder() / str(export.pk)


def export_write(claim: Claim, export: Export) -> dict[str, Any]:
    """Write the files of an export and publish them; a second call finds them and does nothing.

    Everything is written in a folder beside the final one, which is renamed when it is whole.
    Raises NoRoom when the disk refuses, Fenced when another worker took over.
    """
    if not export.sha256:
        aside = exports_folder() / f".{export.pk}.{claim.fence}"
        try:
            _sweep(export, claim.fence)
            aside.mkdir(parents=True)
            told = Build(export, aside, claim).run()
            claim.progress()
            _publish(claim, export, aside, told)
        except OSError as error:
            raise NoRoom(
                _(
                    "The disk refused (%(reason)s). No file was published; make room and export "
                    "again."
                )
                % {"reason": error.strerror or type(error).__name__}
            ) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    assert export.manifest is not None
    return {"export": export.pk, "sha256": export.sha256, "rows": export.manifest["counts"]["rows"]}


def _sweep(export: Export, fence: int) -> None:
    """Remove what workers that went away left; an unpublished final folder is among it."""
    for left in exports_folder().glob(f".{export.pk}.*"):
        if left.name != f".{export.pk}.{fence}":
            shutil.rmtree(left, ignore_errors=True)
    if export_folder(export).exists():
        shutil.rmtree(export_folder(export))


def _publish(claim: Claim, export: Export, aside: Path, told: dict[str, Any]) -> None:
    durable.fsync_folder(aside)
    durable.rename(aside, export_folder(export))
    with transaction.atomic():
        claim.progress(rows=told["counts"]["rows"])
        ExportFile.objects.bulk_create(ExportFile(export=export, **file) for file in told["files"])
        export.sha256, export.manifest = told["sha256"], told
        export.save(update_fields=["sha256", "manifest"])
