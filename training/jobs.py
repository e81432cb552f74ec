"""Background work: writing the files of an export."""

from __future__ import annotations

from typing import Any

from stet.common.jobs import Claim, worker
from training.models import Export
from training.services import KIND, export_write


@worker(KIND)
def export_job(claim: Claim) -> dict[str, Any]:
    export = Export.objects.select_related("dataset__project").get(pk=claim.job.params["export"])
    return export_write(claim, export)
